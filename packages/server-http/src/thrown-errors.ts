import { errorSentence } from "@resumable-mcp/command-line";
import type { EngineOptions } from "@resumable-mcp/core";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { createThrownMask } from "@resumable-mcp/mcp/internal";
import { reasonAgainstServer } from "./locality.js";
import { type Log, readStack } from "./log.js";

/** What says who may call a server, and what they see. Of the options of `serve`. */
interface Exposure {
  readonly definition: Pick<ServerDefinition, "maskErrors">;
  readonly maskErrors?: boolean;
  readonly host?: string;
  readonly fd?: number;
  readonly verifyToken?: unknown;
  readonly allowedHosts?: readonly string[];
  readonly publicUrl?: string;
  readonly trustedProxies?: readonly string[];
  readonly insecure?: boolean;
}

/** Tells whether callers of a server may be other than the user of its machine. Pure. */
export function admitsStrangers(options: Exposure): boolean {
  const { host = "127.0.0.1", fd, verifyToken, allowedHosts, publicUrl, trustedProxies = [], insecure } = options;
  const boundAddress = fd === undefined ? host : undefined;
  const facts = { tokens: verifyToken !== undefined, boundAddress, allowedHosts, publicUrl };
  return insecure === true || trustedProxies.length > 0 || reasonAgainstServer(facts) !== undefined;
}

/** What callers and the log learn of what the code of tools throws. */
export function reportsOfThrown(options: Exposure, log: Log) {
  const maskErrors = options.maskErrors ?? options.definition.maskErrors ?? admitsStrangers(options);
  const onToolError: EngineOptions["onToolError"] = (error, { taskId, tool, attempt, part }) => {
    const what = part === undefined ? `The tool ${tool}` : `${part.what} of ${tool}, attempt ${part.attempt},`;
    log("warn", `${what} failed: ${errorSentence(error)}`, { id: taskId, attempt, stack: readStack(error) });
  };
  const maskThrown = createThrownMask((error, id) =>
    log("warn", `A handler of the server's own failed: ${errorSentence(error)}`, { id, stack: readStack(error) }),
  );
  return { maskErrors, onToolError, maskThrown: maskErrors ? maskThrown : undefined };
}
