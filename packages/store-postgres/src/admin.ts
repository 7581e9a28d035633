export { openPostgresAdmin } from "./admin/postgres-admin.js";
