export { type HostRules, hostRules } from "./allowed-hosts.js";
export { type AuthInfo, readTokenFile, type VerifyToken } from "./bearer.js";
export {
  createHttpHandler,
  type HttpHandlerOptions,
  jsonLog,
  type Log,
  type LogLevel,
  type McpEndpoint,
} from "./http-handler.js";
export { type HttpLimits, httpLimits } from "./http-limits.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
