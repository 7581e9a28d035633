import type { Engine } from "@resumable-mcp/core";
import type { ServerDefinition } from "../define-server.js";
import { resolveOwner } from "../owner/owner.js";
import { subjectOf } from "../owner/subject.js";
import { createMcpServer } from "./create-mcp-server.js";
import type { RegisterOptions } from "./register-tools.js";
import type { CreateServer, SessionContext } from "./session/session-context.js";

/**
 * Makes the `createServer` of a session handler of a definition. A client whose identity outlives its session is told
 * its unfinished tasks in the server's instructions.
 */
export function serverFactory(
  definition: ServerDefinition,
  engine: Engine,
  options: RegisterOptions = {},
): CreateServer {
  return (context) => {
    const owner = lastingOwner(context);
    const tasks = owner === undefined ? {} : { tasks: engine.forOwner(owner) };
    return createMcpServer(definition, engine, { ...options, ...tasks });
  };
}

/** A session that is its own owner has only just begun, and owns nothing yet. */
function lastingOwner({ sessionId, authInfo, clientId, locality }: SessionContext): string | undefined {
  const subject = subjectOf(authInfo);
  if (subject === undefined && clientId === undefined && !locality.local) return undefined;
  return resolveOwner({ subject, clientId, sessionId, locality });
}
