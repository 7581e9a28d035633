export type { PostgresServer, PostgresServerOptions } from "./testing/postgres-server.js";
export { startPostgres } from "./testing/postgres-server.js";
