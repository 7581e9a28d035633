export type { Network, NetworkTrouble } from "./testing/network.js";
export { startNetwork } from "./testing/network.js";
export type { PostgresServer, PostgresServerOptions } from "./testing/postgres-server.js";
export { startPostgres } from "./testing/postgres-server.js";
