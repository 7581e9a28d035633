export { type HostRules, hostRules } from "./allowed-hosts.js";
export type { AuthInfo, VerifyToken } from "./bearer.js";
export { createHttpHandler, type HttpHandlerOptions, type McpEndpoint } from "./http-handler.js";
export { type HttpLimits, httpLimits } from "./http-limits.js";
export { jsonLog, type Log, type LogLevel } from "./log.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
export { readTokenFile } from "./token-file.js";
