import type { Offers, RunnableTask, ToolOffer } from "../../store/store.js";
import { isFinal, type TaskRecord, type TaskSnapshot } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import { instantOf } from "../clock.js";
import type { Environment } from "../environment.js";
import { readIfPresent } from "./read-tasks.js";
import { offerOf, offersOf } from "./tool-table.js";
import { judgeVersion, type VersionVerdict } from "./version-rule.js";

type Listing = Promise<readonly Offers[]>;

/** Which versions the living workers offer, and what this process does with tasks of other versions than its own. */
export class Versions {
  readonly #environment: Environment;
  #others: { readonly atMs: number; readonly offers: Listing } | undefined;
  /** The next reading, which has not begun yet. */
  #next: Listing | undefined;
  /** Another worker lived at some time since this process began. */
  #sawOthers = false;
  /** Since when no living worker offers a version of a tool, in monotonic milliseconds. */
  readonly #missingSinceMs = new Map<string, number>();
  /** Tasks that the code of this process could not read, as they were then. */
  readonly #refused = new Map<string, string>();
  /** Tasks that this process left alone when it looked at them last, and the version that they had. */
  readonly #left = new Map<string, { readonly kind: VersionVerdict["kind"]; readonly toolVersion: string }>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Says that this process lives, and which tools it can run. */
  async publish(): Promise<void> {
    const { store, worker, tools, clock } = this.#environment;
    await store.heartbeat({ worker, now: instantOf(clock), offers: offersOf(tools.runnable.values()) });
    // While the tasks of a version that came back run, nothing else looks for it.
    if (this.#missingSinceMs.size > 0) await this.look();
  }

  /** Looks who else lives. The wait for a version that is there again ends. */
  async look(): Promise<void> {
    await this.#offersOfOthers();
  }

  /** Those of the tasks that are not of another version, which another living worker offers. */
  async withoutPinned(tasks: readonly RunnableTask[]): Promise<readonly RunnableTask[]> {
    const { tools } = this.#environment;
    const isForeign = (task: RunnableTask) => tools.runnable.get(task.tool)?.version !== task.toolVersion;
    const foreign = tasks.filter(isForeign).map((task) => nameOf(task.tool, task.toolVersion));
    if (foreign.length === 0) return tasks;
    const offered = new Set((await this.#offersWith(foreign)).flatMap(namesOf));
    return tasks.filter((task) => !isForeign(task) || !offered.has(nameOf(task.tool, task.toolVersion)));
  }

  /** Decides whether this process may run a task now. */
  async judge({ record, signals }: TaskSnapshot, tool: Tool): Promise<VersionVerdict> {
    const own = offerOf(tool);
    const isRequested = signals.some(({ kind }) => kind === "resume");
    if (!isRequested && record.refused !== undefined && this.#refused.get(record.id) === stageOf(record)) {
      return { kind: "refuse", message: record.message ?? "" };
    }
    this.#refused.delete(record.id);
    const alone = judgeVersion(record, own, [], true);
    if (alone.kind === "run" && record.toolVersion === tool.version) return alone;
    const wanted = nameOf(record.tool, record.toolVersion);
    const others = (await this.#offersWith([wanted])).flatMap((offers): readonly ToolOffer[] => {
      const offer = Object.hasOwn(offers, record.tool) ? offers[record.tool] : undefined;
      return offer === undefined ? [] : [offer];
    });
    return judgeVersion(record, own, others, this.#isWaitOver(record, others));
  }

  /**
   * Judges a task again that this process left alone, without its lease: a process that takes the lease only to look keeps the one
   * away that can run the task. Resolves to `undefined` where there may be something to do by now.
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

  /**
   * Notes what a look said of a task. Gives how long to leave it alone, in milliseconds; `undefined` when it was not left alone and may
   * be looked at when it is due.
   */
  note({ id, toolVersion }: TaskRecord, kind: VersionVerdict["kind"]): number | undefined {
    const { heartbeatMs, versionWaitMs } = this.#environment.limits;
    if (kind === "run" || kind === "change") this.noteHeld(id);
    else this.#left.set(id, { kind, toolVersion });
    if (kind === "refuse") return Math.max(heartbeatMs, versionWaitMs);
    return kind === "leave" || kind === "wait" ? heartbeatMs : undefined;
  }

  /** Notes that a process runs a task that this one may have left alone. */
  noteHeld(taskId: string): void {
    this.#left.delete(taskId);
  }

  /** Tells, once, that a task which this process left alone has another version by now. */
  isAssigned({ id, toolVersion }: RunnableTask): boolean {
    const left = this.#left.get(id);
    return left !== undefined && left.toolVersion !== toolVersion && this.#left.delete(id);
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

  /**
   * What others offer. Where these versions are not all there, as it is now: a worker that makes a task has offered its version before, maybe
   * since the last reading.
   */
  async #offersWith(names: readonly string[]): Listing {
    const known = this.#known();
    if (known === undefined) return this.#read();
    const offered = new Set((await known).flatMap(namesOf));
    return names.every((name) => offered.has(name)) ? known : this.#readAgain();
  }

  #offersOfOthers(): Listing {
    return this.#known() ?? this.#read();
  }

  /** At most as old as what a look for work finds. */
  #known(): Listing | undefined {
    const { limits, clock } = this.#environment;
    const isRecent = this.#others !== undefined && clock.monotonicMs() - this.#others.atMs < limits.pollMs;
    return isRecent ? this.#others?.offers : undefined;
  }

  /** All that ask while one reading is under way share the next one. */
  #readAgain(): Listing {
    const next =
      this.#next ??
      Promise.resolve(this.#others?.offers)
        .catch(() => undefined)
        .then(() => {
          this.#next = undefined;
          return this.#read();
        });
    this.#next = next;
    return next;
  }

  #read(): Listing {
    const { store, worker, limits, clock } = this.#environment;
    const now = instantOf(clock);
    const listing = store.listOffers({ worker, ttlMs: limits.leaseTtlMs, now });
    const offers = listing.then((found) => found.map((other) => other.offers));
    this.#others = { atMs: now.monotonicMs, offers };
    offers.then(
      (found) => {
        this.#sawOthers ||= found.length > 0;
        for (const name of found.flatMap(namesOf)) this.#missingSinceMs.delete(name);
      },
      () => {
        this.#others = undefined;
      },
    );
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
