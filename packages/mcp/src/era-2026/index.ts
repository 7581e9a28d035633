export type { Handler2026, RequestOptions2026, WithTasksOptions } from "./handler-options.js";
export type { CreateServer2026, HandlerOptions2026 } from "./http-handler.js";
export { createHandler2026, withTasks } from "./http-handler.js";
export { createToolCaller, registerTools2026 } from "./register-tools.js";
export type { Context2026, RegisterOptions2026, Server2026 } from "./server-2026.js";
export { serverFactory2026 } from "./server-factory.js";
export type { StdioTransport } from "./tasks/stdio-tasks.js";
export { withStdioTasks } from "./tasks/stdio-tasks.js";
