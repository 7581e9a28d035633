import { createHash } from "node:crypto";
import { isJsonObject, isResumableError, type Json, type JsonObject, type TaskContext } from "@resumable-mcp/core";
import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import type { CallState } from "./plan.js";

/** Where a server of the 2026 era asks: under which key, in which of its answers. */
export interface QuestionPlace {
  readonly key: string;
  /** 1 in its first answer; `task` in a task of its own. */
  readonly round: number | "task";
}

/**
 * The forms that a server asks its user to fill in, which are those of its call's task: each is asked once, also where the call is made again. The n-th of
 * equal questions gets the n-th answer; one that has a key keeps it, as the client may know it.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Elicitation.
 */
export class Questions {
  readonly #task: TaskContext<CallState | null, Json>;
  readonly #asked = new Map<string, Promise<JsonObject>>();
  /** What was asked first in a place, as its hash. */
  readonly #placed = new Map<string, Promise<string>>();
  #counts = new Map<string, number>();

  constructor(task: TaskContext<CallState | null, Json>) {
    this.#task = task;
  }

  /** The call is made again: its questions come again, from the first. */
  startAgain(): void {
    this.#counts = new Map();
  }

  /** @param place absent in the 2025 era. */
  async answer(params: JsonObject, place?: QuestionPlace): Promise<UpstreamResponse> {
    const message = toText(params.message ?? "");
    const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : { type: "object", properties: {} };
    const hash = hashOf([message, schema]);
    const key = place === undefined ? this.#countedKey(hash) : await this.#placedKey(place, hash);
    const asked = this.#asked.get(key) ?? this.#ask(key, message, schema);
    this.#asked.set(key, asked);
    try {
      return { result: await asked };
    } catch (error) {
      if (!isResumableError(error, "INVALID_VALUE")) throw error;
      return { error: { code: rpcCodes.invalidParams, message: error.message } };
    }
  }

  #countedKey(hash: string): string {
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    return `question-${hash}-${count}`;
  }

  /** A call that is made again may ask something else in the same place. */
  async #placedKey(place: QuestionPlace, hash: string): Promise<string> {
    const key = keyAt(place);
    const first = this.#placed.get(key) ?? this.#task.step(`${key}-asked`, () => hash);
    this.#placed.set(key, first);
    return (await first) === hash ? key : `${key}-${hash}`;
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

function keyAt({ key, round }: QuestionPlace): string {
  const isPlain = /^[\w.-]{1,64}$/.test(key) && !/-[^-]+$/.test(key);
  const name = isPlain ? key : hashOf(key);
  return round === 1 ? name : `${name}-${round}`;
}

function hashOf(value: Json): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}
