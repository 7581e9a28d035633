export type { HandlerOptions2026 } from "./handler-options.js";
export { createHandler2026 } from "./http-handler.js";
export { registerTools2026 } from "./register-tools.js";
export type { RegisterOptions2026 } from "./server-2026.js";
export { withStdioTasks } from "./tasks/stdio-tasks.js";
export type { WithTasksOptions } from "./with-tasks.js";
export { withTasks } from "./with-tasks.js";
