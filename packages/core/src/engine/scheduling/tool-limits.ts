import { isResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Lease } from "../../store/store.js";
import { isFinal, type TaskRecord, type TaskSnapshot } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import { formatIso, readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import { Exclusive } from "../exclusive.js";
import {
  boundsOf,
  type CountsFor,
  countedNow,
  findToolWait,
  readBook,
  type ToolBook,
  type ToolBounds,
  type ToolWait,
  withoutRunning,
  withStart,
} from "../tool-book.js";
import type { SlotWait } from "./pick-next.js";
import { readIfPresent } from "./read-tasks.js";

/** A task that waits; `attempt` is absent where it was not read lately. */
type Waiting = Pick<TaskRecord, "id" | "tool"> & Partial<Pick<TaskRecord, "attempt">>;

/** What this process knows of the limits of a tool that are reached. */
interface Gate {
  /** As many tasks run as may: it is looked again with the next look for work. */
  full: boolean;
  /** When the rate lets the next task begin: ISO 8601 UTC. */
  until?: string | undefined;
  stopTimer: () => void;
  /** When the leases of the tasks that run were checked: monotonic milliseconds. */
  checkedMs: number;
}

const kind = "tool-limits";

type LimitsEnvironment = Pick<Environment, "store" | "clock" | "dueTimes" | "tools" | "limits" | "worker" | "onError">;

/**
 * The limits that tools have in all processes on one store. What counts is in a document for each tool, which changes by
 * compare-and-set; only the process that has a task's lease enters the task. The task of a process that died counts until a
 * process that finds the limit reached has taken its lease, so that a process that only stood still cannot write any more.
 */
export class ToolLimits {
  readonly #environment: LimitsEnvironment;
  readonly #wake: () => void;
  readonly #gates = new Map<string, Gate>();
  /** Reads and changes of the document of each tool, one after another. */
  readonly #exclusive = new Exclusive();

  /** @param wake the limits of a tool may let a task begin. */
  constructor(environment: LimitsEnvironment, wake: () => void) {
    this.#environment = environment;
    this.#wake = wake;
  }

  /** Whether tasks of a tool begin one after another in this process, so that they keep their order. */
  isLimited(tool: string): boolean {
    return this.#boundsOf(tool) !== undefined;
  }

  /** Which limit of its tool keeps a task from a slot, as this process knows it. */
  waitOf({ tool, attempt }: Waiting): SlotWait | undefined {
    const gate = this.#gates.get(tool);
    if (gate?.full === true) return { limit: "store" };
    if (gate?.until === undefined || attempt !== 0) return undefined;
    return { limit: "rate", until: gate.until };
  }

  /** Other processes may have ended tasks: tools that were full are tried again. */
  reopen(): void {
    for (const gate of this.#gates.values()) gate.full = false;
  }

  /**
   * Looks whether a task may begin. Without its lease: every lease that is given back wakes the other processes. A task that has a
   * pause or a cancellation to carry out may always.
   */
  async look({ id, tool, attempt }: Waiting): Promise<SlotWait | undefined> {
    const bounds = this.#boundsOf(tool, attempt);
    if (bounds === undefined) return undefined;
    return this.#exclusive.run(tool, async () => {
      const countsFor = this.#countsFor(bounds);
      const find = (book: ToolBook) => findToolWait(book, bounds, { id, attempt: attempt ?? 0 }, countsFor);
      const { book } = await this.#read(tool);
      let wait = find(book);
      if (wait?.limit === "store") wait = find(await this.#withoutDead(tool, book));
      if (wait === undefined) return undefined;
      if (attempt === undefined && !waits(await readIfPresent(this.#environment.store, id), wait)) return undefined;
      const { perMs = 0 } = bounds.rate ?? {};
      if (book.begun.some(([, ms]) => countsFor(ms) > perMs))
        wait = find(await this.#change(tool, (now) => countedNow(now, bounds, countsFor, this.#nowMs))) ?? wait;
      return this.#close(tool, wait);
    });
  }

  /** Enters a task whose first event as a running one is committed next, unless a limit keeps it. */
  async admit({ name }: Tool, { id, attempt }: TaskRecord, { epoch }: Lease): Promise<SlotWait | undefined> {
    const bounds = this.#boundsOf(name, attempt);
    if (bounds === undefined) return undefined;
    const countsFor = this.#countsFor(bounds);
    return this.#exclusive.run(name, async () => {
      let wait: ToolWait | undefined;
      await this.#change(name, (book) => {
        wait = findToolWait(book, bounds, { id, attempt }, countsFor);
        if (wait !== undefined) return undefined;
        const nowMs = this.#nowMs;
        // The moment is met here.
        countsFor(nowMs);
        return withStart(countedNow(book, bounds, countsFor, nowMs), bounds, { id, attempt, epoch }, nowMs);
      });
      return wait && this.#close(name, wait);
    });
  }

  /** A task runs no more. To be called before its lease is given back, which wakes the other processes. Never rejects. */
  async release({ name, maxRunningInStore }: Tool, { taskId, epoch }: Lease): Promise<void> {
    if (maxRunningInStore === undefined) return;
    const ended = [[taskId, epoch]] as const;
    try {
      await this.#exclusive.run(name, () => this.#change(name, (book) => withoutRunning(book, ended)));
    } catch (error) {
      // A process that finds the tool full finds that no process has the lease.
      this.#environment.onError(error);
    }
    const gate = this.#gates.get(name);
    if (gate !== undefined) gate.full = false;
  }

  /** What bounds a task that has begun so many attempts. */
  #boundsOf(tool: string, attempt = 0): ToolBounds | undefined {
    const found = this.#environment.tools.runnable.get(tool);
    return found && boundsOf({ ...found, ...(attempt > 0 && { rate: undefined }) });
  }

  get #nowMs(): number {
    return this.#environment.clock.wallMs();
  }

  /** By the monotonic clock, where this process has met the moment before: the wall clock may be set. */
  #countsFor({ rate }: ToolBounds): CountsFor {
    const { perMs } = rate ?? { perMs: 0 };
    return (begunMs) => this.#environment.dueTimes.leftMs(begunMs + perMs);
  }

  /** Closes the gate of a tool until a limit may let a task through. */
  #close(tool: string, wait: ToolWait): SlotWait {
    const gate = this.#gateOf(tool);
    if (wait.limit === "store") {
      gate.full = true;
      return wait;
    }
    const leftMs = Math.max(1, wait.leftMs);
    const until = formatIso(this.#nowMs + leftMs);
    gate.stopTimer();
    gate.until = until;
    gate.stopTimer = this.#environment.clock.after(leftMs, () => {
      gate.until = undefined;
      this.#wake();
    });
    return { limit: "rate", until };
  }

  #gateOf(tool: string): Gate {
    const gate = this.#gates.get(tool) ?? { full: false, stopTimer: () => {}, checkedMs: Number.NEGATIVE_INFINITY };
    this.#gates.set(tool, gate);
    return gate;
  }

  /** The book of a full tool without the tasks that no living process runs. Looks for them only now and then. */
  async #withoutDead(tool: string, book: ToolBook): Promise<ToolBook> {
    const { clock, limits } = this.#environment;
    const gate = this.#gateOf(tool);
    if (clock.monotonicMs() - gate.checkedMs < limits.heartbeatMs) return book;
    gate.checkedMs = clock.monotonicMs();
    const dead: ToolBook["running"][number][] = [];
    for (const entry of book.running) if (await this.#isDead(entry[0])) dead.push(entry);
    return dead.length === 0 ? book : this.#change(tool, (now) => withoutRunning(now, dead));
  }

  /** Whether no process runs a task. One that only stood still has lost the lease then. */
  async #isDead(taskId: string): Promise<boolean> {
    const { store, worker, limits } = this.#environment;
    try {
      if ((await readIfPresent(store, taskId))?.leased === true) return false;
      const now = readInstant(this.#environment.clock);
      const taken = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now });
      if (taken !== undefined) await store.releaseLease(taken.lease);
      return taken !== undefined;
    } catch (error) {
      if (isResumableError(error, "TASK_NOT_FOUND", "TASK_CORRUPT")) return true;
      throw error;
    }
  }

  async #read(tool: string): Promise<{ readonly book: ToolBook; readonly version: number }> {
    const document = await this.#environment.store.getDocument(kind, tool);
    return { book: readBook(document?.value), version: document?.version ?? 0 };
  }

  /** Changes the book of a tool, unless there is nothing to change. Resolves to what it is then. */
  async #change(tool: string, change: (book: ToolBook) => ToolBook | undefined): Promise<ToolBook> {
    const { store, clock } = this.#environment;
    for (let tries = 1; ; tries++) {
      const { book: before, version } = await this.#read(tool);
      const book = change(before);
      if (book === undefined) return before;
      const value = { running: book.running.map(copy), begun: book.begun.map(copy) };
      const document = { kind, id: tool, owner: "server:tool-limits", value, expectedVersion: version };
      try {
        await store.putDocument({ ...document, now: readInstant(clock) });
        return book;
      } catch (error) {
        // Each lost race is a change that another process made.
        if (!isResumableError(error, "DOCUMENT_CONFLICT") || tries >= fixedLimits.maxBookTries) throw error;
      }
    }
  }
}

/** Whether a task that was read waits for this limit. One that is to pause or end only has that to do. */
function waits(snapshot: TaskSnapshot | undefined, { limit }: ToolWait): boolean {
  if (snapshot === undefined || isFinal(snapshot.record.status)) return false;
  if (snapshot.signals.some(({ kind: wanted }) => wanted === "cancel" || wanted === "pause")) return false;
  return limit === "store" || snapshot.record.attempt === 0;
}

function copy([taskId, value]: readonly [string, number]): [string, number] {
  return [taskId, value];
}
