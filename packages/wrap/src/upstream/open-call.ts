import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import type { QuestionPlace } from "../call/questions.js";

/** A call that is under way, which answers what the server asks in the meantime. */
export interface OpenCall {
  readonly owner: string;
  /** @param place absent in the 2025 era. */
  ask(method: string, params: JsonObject, signal: AbortSignal, place?: QuestionPlace): Promise<UpstreamResponse>;
  log(params: JsonObject): void;
  /** What its user was sent to open is done. False where the call has not asked for that. */
  opened(params: JsonObject): boolean;
  /** Resolves when what the server reported until now is durable: to true; to false when the call is over before that. */
  committed(): Promise<boolean>;
}

/** Whether a client has capabilities, and what is in them. */
export function isCapable(capabilities: JsonObject, needed: JsonObject): boolean {
  return Object.entries(needed).every(([name, parts]) => {
    const { [name]: own } = capabilities;
    return isJsonObject(own) && isCapable(own, Object(parts));
  });
}
