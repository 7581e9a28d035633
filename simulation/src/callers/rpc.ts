import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { Actor, World } from "../world/world.js";
import type { CallPlan } from "./call-plan.js";

/** An answer as a caller has it when it is whole. */
export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** How a call over a stream ended. */
export type Outcome =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number }
  | { readonly kind: "broken" }
  | { readonly kind: "refused"; readonly status: number };

/** Of every message that is sent. */
export const jsonHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A message as text. */
export function rpc(message: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** What the answer to a request says. */
export function outcomeOf(message: JsonObject): Outcome {
  const { result, error } = message;
  if (isJsonObject(result)) return { kind: "result", result };
  return { kind: "error", code: isJsonObject(error) ? Number(error.code) : 0 };
}

/** The same of an answer in one piece. */
export function answerOf(status: number, text: string): Outcome {
  if (status !== 200) return { kind: "refused", status };
  const message: unknown = JSON.parse(text);
  return isJsonObject(message) ? outcomeOf(message) : { kind: "refused", status };
}

/** A stream on which nothing comes for so long is given up: servers send something more often. */
const patienceMs = 45_000;

/** Calls back when nothing was heard for too long. @returns what is to be called when something is heard. */
export function onSilence(world: World, actor: Actor, giveUp: () => void): () => void {
  let heardMs = world.nowMs;
  const wait = (forMs: number): void => {
    world.after(
      forMs,
      () => {
        const leftMs = heardMs + patienceMs - world.nowMs;
        if (leftMs > 1) wait(leftMs);
        else giveUp();
      },
      actor,
    );
  };
  wait(patienceMs);
  return () => {
    heardMs = world.nowMs;
  };
}

/** What a call says in `_meta` to the toolkit. */
export function metaOf({
  clientId,
  newTask,
  handoffMs,
}: Pick<CallPlan, "clientId" | "newTask" | "handoffMs">): JsonObject {
  return {
    "resumable-mcp/client_id": clientId ?? "",
    ...(newTask !== undefined && { "resumable-mcp/new_task": newTask }),
    ...(handoffMs !== undefined && { "resumable-mcp/handoff": handoffMs }),
  };
}
