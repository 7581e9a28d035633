import { type Json, ResumableError } from "@resumable-mcp/core";
import { deepFreeze, sealDocuments } from "@resumable-mcp/core/internal";
import type { Answer, Question, TaskFailure } from "@resumable-mcp/core/store";
import { dataId } from "../keys/store-keys.js";
import type { Sealer } from "./sealer.js";

/** The fields of a task that hold values. A text of one never opens in another. */
export type Field =
  | "input"
  | "label"
  | "message"
  | "state"
  | "item"
  | "step"
  | "question"
  | "answer"
  | "given answer"
  | "log"
  | "error"
  | "output"
  | "reason";

/** What seals the parts of a task, and what opens them: both go through events in the same way. */
export interface TaskValues {
  value(field: Field, value: Json, key?: string): Json;
  text(field: Field, text: string): string;
  /** An item: the number in its event. */
  item(value: Json, index: number): Json;
  owner(owner: string): string;
  /** A deduplication key, of a sealed owner. */
  callKey(key: string, sealedOwner: string): string;
  session(session: string): string;
  /** The key of a step, sleep or question. */
  key(key: string): string;
  question(question: Question, key: string): Question;
  answer(answer: Answer, key: string, field?: "answer" | "given answer"): Answer;
  failure(failure: TaskFailure): TaskFailure;
  /** Of a thing before and after, the sealed one. */
  sealed<Value>(given: Value, made: Value): Value;
}

/** Seals what an event of this place brings. */
export class SealingValues implements TaskValues {
  readonly #sealer: Sealer;
  readonly #taskId: string;
  readonly #seq: number;

  constructor(sealer: Sealer, taskId: string, seq: number) {
    this.#sealer = sealer;
    this.#taskId = taskId;
    this.#seq = seq;
  }

  value(field: Field, value: Json, key?: string): string {
    return this.#sealer.seal({ scope: ["task", this.#taskId], field, key, seq: this.#seq, index: 0 }, value);
  }

  text(field: Field, text: string): string {
    return this.value(field, text);
  }

  item(value: Json, index: number): Json {
    return this.#sealer.seal({ scope: ["task", this.#taskId], field: "item", seq: this.#seq, index }, value);
  }

  owner(owner: string): string {
    return sealOwner(this.#sealer, owner);
  }

  callKey(key: string, sealedOwner: string): string {
    return this.#sealer.sealName(["call", sealedOwner], key);
  }

  session(session: string): string {
    return this.#sealer.sealName(["session"], session);
  }

  key(key: string): string {
    return this.#sealer.sealName(["key", this.#taskId], key);
  }

  /** When a question ends decides when its task may run: stores read it. */
  question(question: Question, key: string): Question {
    const message = this.value("question", { ...question }, key);
    return { message, schema: {}, ...(question.expiresAt !== undefined && { expiresAt: question.expiresAt }) };
  }

  answer(answer: Answer, key: string, field: "answer" | "given answer" = "answer"): Answer {
    return { action: "accept", content: { sealed: this.value(field, { ...answer }, key) } };
  }

  /** Code and end decide what a call finds: stores read them. */
  failure(failure: TaskFailure): TaskFailure {
    return { ...failure, message: this.text("error", failure.message) };
  }

  sealed<Value>(_given: Value, made: Value): Value {
    return made;
  }
}

/** Which events may have brought what is opened. */
export interface Origin {
  /** The event itself. */
  readonly seq?: number;
  /** Any event up to there. */
  readonly lastSeq?: number;
}

/** Opens what belongs to a task. All methods throw `TASK_CORRUPT` for what does not belong there, or is not sealed at all. */
export class OpeningValues implements TaskValues {
  readonly #sealer: Sealer;
  readonly #taskId: string;
  readonly #origin: Origin;

  constructor(sealer: Sealer, taskId: string, origin: Origin) {
    this.#sealer = sealer;
    this.#taskId = taskId;
    this.#origin = origin;
  }

  value(field: Field, sealed: Json | undefined, key?: string): Json {
    const opened = this.#sealer.open({ scope: ["task", this.#taskId], field, key }, sealed);
    const { seq, lastSeq = Number.POSITIVE_INFINITY } = this.#origin;
    if (opened === undefined || opened.seq > lastSeq || (seq !== undefined && opened.seq !== seq) || opened.index > 0)
      throw this.corrupt(field, sealed);
    return deepFreeze(opened.value);
  }

  text(field: Field, sealed: string): string {
    return String(this.value(field, sealed));
  }

  item(sealed: Json, index: number): Json {
    const opened = this.placedItem(sealed);
    if (opened.seq !== this.#origin.seq || opened.index !== index) throw this.corrupt("item");
    return opened.value;
  }

  /** An item, and what its text says of its place. */
  placedItem(sealed: Json): { readonly value: Json; readonly seq: number; readonly index: number } {
    const opened = this.#sealer.open({ scope: ["task", this.#taskId], field: "item" }, sealed);
    if (opened === undefined) throw this.corrupt("item", sealed);
    return { ...opened, value: deepFreeze(opened.value) };
  }

  owner(sealed: string): string {
    return openOwner(this.#sealer, sealed) ?? this.#refuse("owner");
  }

  callKey(sealed: string, sealedOwner: string): string {
    return this.#sealer.openName(["call", sealedOwner], sealed) ?? this.#refuse("deduplication key");
  }

  session(sealed: string): string {
    return this.#sealer.openName(["session"], sealed) ?? this.#refuse("session");
  }

  key(sealed: string): string {
    return this.#sealer.openName(["key", this.#taskId], sealed) ?? this.#refuse("key");
  }

  question({ message }: Question, key: string): Question {
    // What was sealed there is a question.
    return this.value("question", message, key) as unknown as Question;
  }

  answer(sealed: Answer, key: string, field: "answer" | "given answer" = "answer"): Answer {
    const text = sealed.action === "accept" ? sealed.content.sealed : undefined;
    // What was sealed there is an answer.
    return this.value(field, text, key) as unknown as Answer;
  }

  failure(failure: TaskFailure): TaskFailure {
    return { ...failure, message: this.text("error", failure.message) };
  }

  sealed<Value>(given: Value): Value {
    return given;
  }

  #refuse(what: string): never {
    throw this.corrupt(what);
  }

  /** @param sealed what does not open, where it is a text that names a data key. */
  corrupt(what: string, sealed?: unknown): ResumableError {
    const keyId = this.#sealer.absentKeyOf(sealed);
    const [reason, restored] =
      keyId === undefined
        ? ["it was changed, it belongs to another place, or it was never sealed", "the task"]
        : [
            `the store does not have the data key ${keyId} under which it is sealed`,
            `the document ${dataId(keyId)} of the kind ${sealDocuments.kind}, or the task,`,
          ];
    return new ResumableError(
      "TASK_CORRUPT",
      `A sealed part of task ${this.#taskId} (${what}) does not open: ${reason}. Nothing was changed. Restore ${restored} from a backup, or delete the task.`,
      { details: { taskId: this.#taskId, path: `sealed ${what}` } },
    );
  }
}

/** Owners are the same each time: stores list and count by them. */
export function sealOwner(sealer: Sealer, owner: string): string {
  return sealer.sealName(["owner"], owner);
}

/** `undefined` for what is not a sealed owner. */
export function openOwner(sealer: Sealer, sealed: string): string | undefined {
  return sealer.openName(["owner"], sealed);
}
