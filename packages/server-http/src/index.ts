export { type HostRules, hostRules } from "./allowed-hosts.js";
export { type Authorization, type AuthorizationOptions, createAuthorization } from "./auth/authorization.js";
export { type AuthInfo, AuthorizationServerAway, type VerifyToken } from "./auth/bearer.js";
export { createIntrospectionVerifier, type IntrospectionOptions } from "./auth/introspection-verifier.js";
export { createJwtVerifier, type JwtOptions } from "./auth/jwt-verifier.js";
export { openTokenFile, type TokenFile } from "./auth/token-file.js";
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
