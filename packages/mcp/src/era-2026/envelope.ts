import { isJsonObject } from "@resumable-mcp/core";
import { envelopeKeys, rpcCodes, tasksExtension } from "@resumable-mcp/protocol";
import type { RpcErrorBody } from "../call/rpc-error.js";

/** What one request says of its client. Nothing is remembered from an earlier one. */
export interface ClientFacts {
  /** It declared the tasks extension, so a call may be answered with a task. */
  readonly tasks: boolean;
  /** It can ask its user by a form. */
  readonly forms: boolean;
  readonly name?: string;
  /** The least level of log messages that it wants; none at all when absent. */
  readonly logLevel?: string;
}

/** Reads the envelope of a request; what is malformed counts as not declared. */
export function clientFacts(envelope: unknown): ClientFacts {
  const capabilities = child(envelope, envelopeKeys.clientCapabilities);
  const elicitation = child(capabilities, "elicitation");
  const name = field(child(envelope, envelopeKeys.clientInfo), "name");
  const logLevel = field(envelope, envelopeKeys.logLevel);
  return {
    tasks: child(child(capabilities, "extensions"), tasksExtension) !== undefined,
    forms: isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation)),
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof logLevel === "string" ? { logLevel } : {}),
  };
}

function field(parent: unknown, key: string): unknown {
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function child(parent: unknown, key: string): unknown {
  const value = field(parent, key);
  return isJsonObject(value) ? value : undefined;
}

/** The request needs the tasks extension and did not declare it. Source: SEP-2663, SEP-2575. */
export const missingTasksExtension: RpcErrorBody = {
  code: rpcCodes.missingCapability,
  message: `This needs the extension ${tasksExtension}: declare it in the request's clientCapabilities.`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
};
