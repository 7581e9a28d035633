export type { PostgresStoreOptions } from "./create-postgres-store.js";
export { createPostgresStore } from "./create-postgres-store.js";
export { isServerAway } from "./database/store-errors.js";
