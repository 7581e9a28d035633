export { createHandler2026 } from "./http-handler.js";
export { registerTools2026 } from "./register-tools.js";
export { withStdioTasks } from "./tasks/stdio-tasks.js";
export { withTasks } from "./with-tasks.js";
