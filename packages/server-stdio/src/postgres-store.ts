// The package as it is installed: the build leaves this file out of the program and imports dist/postgres-store.js.
export { createPostgresStore } from "@resumable-mcp/store-postgres";
