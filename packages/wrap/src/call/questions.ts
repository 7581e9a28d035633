import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject, type TaskContext } from "@resumable-mcp/core";
import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import type { CallState } from "./plan.js";

/**
 * The questions of a server, which are those of its call's task: each is asked once, also where the call is made again. The n-th of
 * equal questions in one place gets the n-th answer.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Elicitation.
 */
export class Questions {
  readonly #task: TaskContext<CallState | null, Json>;
  readonly #asked = new Map<string, Promise<JsonObject>>();
  #counts = new Map<string, number>();

  constructor(task: TaskContext<CallState | null, Json>) {
    this.#task = task;
  }

  /** The call is made again: its questions come again, from the first. */
  startAgain(): void {
    this.#counts = new Map();
  }

  /** @param place where the server asks, as far as it says that. */
  async answer(params: JsonObject, place?: string): Promise<UpstreamResponse> {
    if ((params.mode ?? "form") !== "form")
      return { error: { code: rpcCodes.invalidParams, message: "Only questions of mode form pass through." } };
    const message = toText(params.message ?? "");
    const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : { type: "object", properties: {} };
    const name = createHash("sha256")
      .update(JSON.stringify([message, schema, ...(place === undefined ? [] : [place])]))
      .digest("base64url")
      .slice(0, 16);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const key = `question-${name}-${count}`;
    const asked = this.#asked.get(key) ?? this.#ask(key, message, schema);
    this.#asked.set(key, asked);
    return { result: await asked };
  }

  /** Within a step: an attempt that only waits for an answer ends after a while, and the server's call with it. */
  #ask(key: string, message: string, schema: JsonObject): Promise<JsonObject> {
    return this.#task.step(`${key}-answer`, async (): Promise<JsonObject> => {
      const answer = await this.#task.ask<JsonObject>(key, { message, schema });
      if (answer.action === "accept") return { action: "accept", content: answer.content };
      return { action: answer.action === "expired" ? "cancel" : answer.action };
    });
  }
}
