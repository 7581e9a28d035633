// What a program of ten lines needs, so that it installs one package.
export { defineTool } from "@resumable-mcp/core";
export { defineServer } from "@resumable-mcp/mcp/define-server";
export { createFsStore } from "@resumable-mcp/store-fs";
export { createAuditLog, openAuditFile } from "./audit-log.js";
export { type AuthInfo, AuthorizationServerAway, type VerifyToken } from "./auth/bearer.js";
export { withImpliedScopes } from "./auth/implied-scopes.js";
export { createIntrospectionVerifier, type IntrospectionOptions } from "./auth/introspection-verifier.js";
export { createJwtVerifier, type JwtOptions } from "./auth/jwt-verifier.js";
export { openTokenFile } from "./auth/token-file.js";
export { createHttpHandler, type HttpHandlerOptions, type McpHandler } from "./create-http-handler.js";
export type { HttpLimits } from "./http-limits.js";
export { createLog } from "./log.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
