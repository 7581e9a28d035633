export { openPostgresAdmin, type PostgresAdminOptions } from "./admin/postgres-admin.js";
