import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { decodeFailure, envelopeKeys, metaKeys, tasksExtension } from "@resumable-mcp/protocol";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { jobToolName, wordFor } from "../job.js";
import { type ClientCall, type ClientOrder, isPassing, type MakeCall } from "./call.js";

/** A request without an answer for so long is given up. */
const patienceMs = 120_000;

/** What a request came to; `undefined`: it broke, or was refused for now. */
type Answer = JsonObject | undefined;

/** Speaks JSON-RPC of the 2026 era: half of the calls with the tasks extension, half as one request after the other. */
export function openCalls2026(order: ClientOrder): MakeCall {
  return async (call) => {
    const client = new Client2026(order, call);
    const withTasks = call.random.next() < 0.5;
    while (!(await (withTasks ? client.callAsTask() : client.callPlainly()))) await pause(100);
  };
}

class Client2026 {
  readonly #order: ClientOrder;
  readonly #call: ClientCall;
  #known: string | undefined;
  #before = -1;

  constructor(order: ClientOrder, call: ClientCall) {
    this.#order = order;
    this.#call = call;
    this.#known = call.random.next() < 0.5 ? call.task : undefined;
  }

  /** A call that streams progress; what it is asked it answers with the next request. @returns whether it is over. */
  async callPlainly(): Promise<boolean> {
    let more: JsonObject = {};
    this.#before = -1;
    for (;;) {
      const params = { name: jobToolName, arguments: this.#call.job, ...more };
      this.#call.note("client_sends");
      const result = await this.#send("tools/call", params, { elicitation: {} });
      if (result === undefined) return false;
      if (result.resultType !== "input_required") return this.#end(result, taskOf(result));
      const inputResponses = answersTo(result.inputRequests);
      more = { ...(inputResponses && { inputResponses }), requestState: result.requestState ?? null };
    }
  }

  /** A call that becomes a task, which is asked for until it is over. */
  async callAsTask(): Promise<boolean> {
    const capabilities = { elicitation: {}, extensions: { [tasksExtension]: {} } };
    if (this.#known === undefined) {
      const params = { name: jobToolName, arguments: this.#call.job };
      this.#call.note("client_sends");
      const made = await this.#send("tools/call", params, capabilities);
      if (made === undefined) return false;
      if (typeof made.taskId !== "string") return this.#end(made, taskOf(made));
      this.#known = made.taskId;
    }
    const taskId = this.#known;
    this.#call.note("called", { task: taskId });
    for (;;) {
      const task = await this.#send("tasks/get", { taskId }, capabilities);
      const inputResponses = answersTo(task?.inputRequests);
      if (inputResponses !== undefined) await this.#send("tasks/update", { taskId, inputResponses }, capabilities);
      if (task?.status === "completed" && isJsonObject(task.result)) {
        this.#known = undefined;
        return this.#end(task.result, taskId);
      }
      if (task?.status === "failed" || task?.status === "cancelled") {
        this.#call.note("client_result", { task: taskId, status: String(task.status) });
        return true;
      }
      await pause(200);
    }
  }

  #end(result: JsonObject, task: string | undefined): boolean {
    const { note } = this.#call;
    const content = isJsonObject(result.structuredContent) ? result.structuredContent : {};
    const code = decodeFailure(content)?.code;
    const isWhole = result.isError !== true && typeof content.done === "number";
    note("mcp_result", { task, isWhole, done: isWhole ? Number(content.done) : undefined, code });
    if (!isWhole && (isPassing(code) || (result.isError !== true && typeof content.status === "string"))) {
      note("client_continues", { task, code });
      return false;
    }
    if (task !== undefined) note("called", { task });
    note("client_result", { task, status: isWhole ? "completed" : "failed", code });
    return true;
  }

  async #send(method: string, params: JsonObject, capabilities: JsonObject): Promise<Answer> {
    const _meta = {
      progressToken: "p",
      [envelopeKeys.protocolVersion]: "2026-07-28",
      [envelopeKeys.clientCapabilities]: capabilities,
      [metaKeys.clientId]: this.#order.clientId,
    };
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params.name ?? params.taskId),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const response = await fetch(this.#order.url, { method: "POST", headers, body, signal });
      if (response.status >= 500) {
        await response.body?.cancel();
        return undefined;
      }
      for await (const message of messagesOf(response)) {
        if (message.method === "notifications/progress") this.#noteProgress(message.params);
        else if (message.method === undefined) return this.#read(message);
      }
    } catch {
      // It broke.
    }
    return undefined;
  }

  /** An error of the server may pass; one that is about the request never does. */
  #read({ result, error }: JsonObject): Answer {
    if (isJsonObject(result)) return result;
    if (isJsonObject(error) && error.code !== -32_603) {
      this.#call.note("client_error", { code: Number(error.code), message: JSON.stringify(error) });
    }
    return undefined;
  }

  #noteProgress(params: unknown): void {
    if (!isJsonObject(params) || !isJsonObject(params._meta) || typeof params.progress !== "number") return;
    const { progress, _meta } = params;
    const facts = { task: String(_meta[metaKeys.taskId]), progress, before: this.#before };
    this.#call.note("mcp_progress", { ...facts, snapshot: _meta[metaKeys.snapshot] === true });
    this.#before = progress;
  }
}

async function* messagesOf(response: Response): AsyncGenerator<JsonObject> {
  if (response.body === null) return;
  if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) {
    const message: unknown = await response.json();
    if (isJsonObject(message)) yield message;
    return;
  }
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    const message: unknown = data === "" ? undefined : JSON.parse(data);
    if (isJsonObject(message)) yield message;
  }
}

function taskOf({ _meta }: JsonObject): string | undefined {
  const named = isJsonObject(_meta) ? _meta[metaKeys.taskId] : undefined;
  return typeof named === "string" ? named : undefined;
}

/** Answers what is asked; `undefined` where nothing is. */
function answersTo(asked: unknown): JsonObject | undefined {
  if (!isJsonObject(asked)) return undefined;
  const answers = Object.entries(asked).map(([key, question]) => {
    const params = isJsonObject(question) && isJsonObject(question.params) ? question.params : {};
    return [key, { action: "accept", content: { word: wordFor(String(params.message)) } }] as const;
  });
  return answers.length === 0 ? undefined : Object.fromEntries(answers);
}
