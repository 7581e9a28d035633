import type { Offers, RunnableTask, ToolOffer } from "../../store/store.js";
import { isFinal, type TaskRecord, type TaskSnapshot } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";
import { readIfPresent } from "./read-tasks.js";
import { toOffer, toOffers } from "./tool-table.js";
import { isOfVersion, judgeVersion, type VersionVerdict } from "./version-rule.js";

/** A task that this process leaves alone, as it was when it was looked at last. */
interface LeftTask {
  readonly kind: VersionVerdict["kind"];
  readonly toolVersion: string;
  /** When it is looked at again, in monotonic milliseconds. */
  readonly untilMs: number;
}

/** Which versions the living workers offer, and what this process does with tasks of other versions than its own. */
export class Versions {
  readonly #environment: Environment;
  /** The next reading of what others offer, which has not begun yet. */
  #next: Promise<readonly Offers[]> | undefined;
  /** Another worker lived at some time since this process began. */
  #sawOthers = false;
  /** Since when no living worker offers a version of a tool, in monotonic milliseconds. */
  readonly #missingSinceMs = new Map<string, number>();
  /** Tasks that the code of this process could not read, as they were then. */
  readonly #refused = new Map<string, string>();
  readonly #left = new Map<string, LeftTask>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Says that this process lives, and which tools it can run. */
  async publish(): Promise<void> {
    const { store, worker, tools, clock } = this.#environment;
    await store.heartbeat({ worker, now: readInstant(clock), offers: toOffers(tools.runnable.values()) });
    // While the tasks of a version that came back run, nothing else looks for it.
    if (this.#missingSinceMs.size > 0) await this.look();
  }

  /** Looks who else lives. The wait for a version that is there again ends. */
  async look(): Promise<void> {
    await this.#offersOfOthers();
  }

  /**
   * Those of the tasks that this process may run: neither left alone lately, nor of another version that a living worker
   * offers.
   *
   * @param isAll there are no other tasks that may run.
   */
  async runnableHere(tasks: readonly RunnableTask[], isAll: boolean): Promise<readonly RunnableTask[]> {
    const { tools, clock } = this.#environment;
    const found = new Set(tasks.map(({ id }) => id));
    if (isAll) for (const id of this.#left.keys()) if (!found.has(id)) this.#left.delete(id);
    const nowMs = clock.monotonicMs();
    const open = tasks.filter(({ id, toolVersion }) => {
      const left = this.#left.get(id);
      return left === undefined || left.toolVersion !== toolVersion || left.untilMs <= nowMs;
    });
    const isForeign = (task: RunnableTask) => tools.runnable.get(task.tool)?.version !== task.toolVersion;
    if (!open.some(isForeign)) return open;
    const offered = new Set((await this.#offersOfOthers()).flatMap(namesOf));
    return open.filter((task) => !isForeign(task) || !offered.has(nameOf(task.tool, task.toolVersion)));
  }

  /** This process looked at the task, and left it alone. */
  leaves(taskId: string): boolean {
    return this.#left.has(taskId);
  }

  /** Decides whether this process may run a task now. */
  async judge({ record, signals }: TaskSnapshot, tool: Tool): Promise<VersionVerdict> {
    const own = toOffer(tool);
    const isRequested = signals.some(({ kind }) => kind === "resume");
    if (!isRequested && record.refused !== undefined && this.#refused.get(record.id) === stageOf(record)) {
      return { kind: "refuse", message: record.message ?? "" };
    }
    this.#refused.delete(record.id);
    if (isOfVersion(record, own)) return { kind: "run" };
    const others = (await this.#offersOfOthers()).flatMap((offers): readonly ToolOffer[] => {
      const offer = Object.hasOwn(offers, record.tool) ? offers[record.tool] : undefined;
      return offer === undefined ? [] : [offer];
    });
    return judgeVersion(record, own, others, this.#isWaitOver(record, others));
  }

  /**
   * Judges a task again that this process left alone, without its lease: a process that takes the lease only to look keeps
   * the one away that can run the task. Resolves to `undefined` where there may be something to do by now.
   */
  async judgeAgain(
    taskId: string,
  ): Promise<{ readonly snapshot: TaskSnapshot; readonly verdict: VersionVerdict["kind"] } | undefined> {
    const { store, tools } = this.#environment;
    const left = this.#left.get(taskId);
    const snapshot = left && (await readIfPresent(store, taskId));
    if (snapshot === undefined || snapshot.leased || snapshot.signals.length > 0) return undefined;
    const tool = tools.runnable.get(snapshot.record.tool);
    if (tool === undefined || isFinal(snapshot.record.status)) return undefined;
    const { kind } = await this.judge(snapshot, tool);
    return kind === left?.kind ? { snapshot, verdict: kind } : undefined;
  }

  /** Notes what a look said of a task. True when this process leaves it alone for a while. */
  note({ id, toolVersion }: TaskRecord, kind: VersionVerdict["kind"]): boolean {
    const { clock, limits } = this.#environment;
    if (kind === "run" || kind === "change") return this.#left.delete(id) && false;
    const forMs = kind === "refuse" ? Math.max(limits.heartbeatMs, limits.versionWaitMs) : limits.heartbeatMs;
    this.#left.set(id, { kind, toolVersion, untilMs: clock.monotonicMs() + forMs });
    return true;
  }

  /** Notes that an attempt of this process could not read a task: it does not try again until a request or a decision comes. */
  noteRefused(record: TaskRecord): void {
    this.#refused.set(record.id, stageOf(record));
  }

  forget(taskId: string): void {
    this.#refused.delete(taskId);
    this.#left.delete(taskId);
  }

  #isWaitOver({ tool, toolVersion }: TaskRecord, others: readonly ToolOffer[]): boolean {
    if (!this.#sawOthers) return true;
    const { clock, limits } = this.#environment;
    const name = nameOf(tool, toolVersion);
    if (others.some(({ version }) => version === toolVersion)) return false;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#missingSinceMs.get(name) ?? nowMs;
    this.#missingSinceMs.set(name, sinceMs);
    return nowMs - sinceMs >= limits.versionWaitMs;
  }

  /** All that ask before a reading begins share it: a worker that makes a task has offered its version before. */
  #offersOfOthers(): Promise<readonly Offers[]> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = undefined;
      return this.#read();
    });
    return this.#next;
  }

  async #read(): Promise<readonly Offers[]> {
    const { store, worker, limits, clock } = this.#environment;
    const found = await store.listOffers({ worker, ttlMs: limits.leaseTtlMs, now: readInstant(clock) });
    const offers = found.map((other) => other.offers);
    this.#sawOthers ||= offers.length > 0;
    for (const name of offers.flatMap(namesOf)) this.#missingSinceMs.delete(name);
    return offers;
  }
}

function namesOf(offers: Offers): readonly string[] {
  return Object.entries(offers).map(([tool, { version }]) => nameOf(tool, version));
}

function nameOf(tool: string, version: string): string {
  return JSON.stringify([tool, version]);
}

/** What has to change before the same code can read the task. */
function stageOf({ generation, toolVersion }: TaskRecord): string {
  return JSON.stringify([generation, toolVersion]);
}
