export type { PostgresStoreOptions } from "./create-postgres-store.js";
export { createPostgresStore } from "./create-postgres-store.js";
export type { PostgresStoreLimits } from "./database/limits.js";
export { postgresStoreDefaults } from "./database/limits.js";
export { isServerAway } from "./database/store-errors.js";
