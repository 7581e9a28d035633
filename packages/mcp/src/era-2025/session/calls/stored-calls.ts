import type { JsonObject } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { finishedCall, openCalls, type SessionDocument, type StoredCall, withCall } from "../session-document.js";
import type { InFlightRequest } from "../session-stream.js";
import { withoutAbandoned } from "./abandoned-calls.js";
import { dropParams, keepParams, readParams } from "./call-params.js";

/** A call as it was stored, with what it can be begun again with. */
export interface FoundCall {
  readonly call: StoredCall;
  /** All its params, where they are not in the session's document; `undefined` also where they were removed. */
  readonly whole: JsonObject | undefined;
}

/** What the session's document keeps of calls that survive a restart, and the documents of their large params. */
export class StoredCalls {
  readonly #document: SessionDocument;
  readonly #documents: Documents;
  readonly #maxFinished: number;

  constructor(document: SessionDocument, documents: Documents, maxFinished: number) {
    this.#document = document;
    this.#documents = documents;
    this.#maxFinished = maxFinished;
  }

  /** As this process read it last. */
  get(callId: string): StoredCall | undefined {
    return this.#document.value.calls.find((call) => call.callId === callId);
  }

  /** The newest of a request: a restarted client may use an id a second time. */
  ofRequest(requestId: unknown): StoredCall | undefined {
    return this.#document.value.calls.findLast((call) => call.requestId === requestId);
  }

  /** The params of the newest call that began a task or joined it, as a task. */
  paramsOfTask(taskId: unknown): JsonObject | undefined {
    const isOfTask = (call: StoredCall) => call.params.task !== undefined && (call.taskId ?? call.callId) === taskId;
    return this.#document.value.calls.findLast(isOfTask)?.params;
  }

  /** Those without a response, oldest first. */
  open(): readonly StoredCall[] {
    return openCalls(this.#document.value);
  }

  /** Reads what other processes stored. */
  async refresh(): Promise<void> {
    await this.#document.refresh();
  }

  /** Resolves when all that was noted is in the store. */
  async flush(): Promise<void> {
    await this.#document.flush();
  }

  /** Stores a request that may be delivered again. Durability: as of `change`. */
  async store({ name: callId, request, kind, acceptedMs, taskId, sessionClientId }: InFlightRequest): Promise<void> {
    const kept = await keepParams(this.#documents, { callId, session: this.#document }, request.params);
    const call: StoredCall = {
      callId,
      requestId: request.id,
      kind: kind === "again" ? kind : "journal",
      method: request.method === "tasks/result" ? request.method : undefined,
      ...kept,
      acceptedMs,
      taskId,
      clientId: sessionClientId,
    };
    try {
      await this.#document.change((facts) => withCall(facts, call, this.#maxFinished));
    } catch (error) {
      dropParams(this.#documents, this.#document, call);
      throw error;
    }
  }

  /** Finds a call with its params. */
  async find(callId: string): Promise<FoundCall | undefined> {
    const isApart = () => this.get(callId)?.apart === true;
    const whole = isApart() ? await readParams(this.#documents, callId) : undefined;
    // Another process may have finished the call since this one read the session.
    if (whole === undefined && isApart()) await this.refresh();
    const call = this.get(callId);
    return call && { call, whole };
  }

  /** Notes which task a call belongs to. Durability: as of `change`. */
  async noteTask(callId: string, taskId: string): Promise<void> {
    await this.#document.change((facts) => ({
      ...facts,
      calls: facts.calls.map((call) => (call.callId === callId ? { ...call, taskId, kind: "journal" } : call)),
    }));
  }

  /** Notes that a call has its response. @param ofTool as of `finishedCall`. */
  noteFinished({ name, place }: InFlightRequest, ofTool: boolean): void {
    const stored = this.get(name);
    this.#document.note((facts) => {
      const call = facts.calls.find(({ callId }) => callId === name);
      if (call === undefined) return facts;
      const kept = finishedCall(call, place, ofTool);
      const others = { ...facts, calls: facts.calls.filter((one) => one !== call) };
      return kept === undefined ? others : withCall(others, kept, this.#maxFinished);
    });
    dropParams(this.#documents, this.#document, stored);
  }

  /** Removes a call to which its client does not come back. */
  remove(callId: string): void {
    const stored = this.get(callId);
    this.#document.note((facts) => ({ ...facts, calls: facts.calls.filter((call) => call.callId !== callId) }));
    dropParams(this.#documents, this.#document, stored);
  }

  /** Removes calls that no process delivers, and notes that their clients did not cancel them. */
  removeAbandoned(calls: readonly StoredCall[]): void {
    this.#document.note((facts) => withoutAbandoned(facts, calls));
    for (const call of calls) dropParams(this.#documents, this.#document, call);
  }
}
