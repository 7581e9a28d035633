import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { createLink, type Link } from "./driver.js";
import { createRandom, type Random } from "./kill-plan.js";
import { beginLife, type ServerLife } from "./server-life.js";

/** How hard the storm is. */
export interface WaitingStormOptions {
  readonly kills: number;
  /** Half of them wait for an answer or a sleep, the others work. */
  readonly tasks: number;
  readonly servers: number;
  readonly seed: number;
  /** How long the last server has for what is left after the kills. */
  readonly calmMs: number;
  readonly leaseTtlMs: number;
  readonly log: (line: string) => void;
}

/** What the storm did and what it found. */
export interface WaitingStormReport {
  readonly kills: number;
  readonly completed: number;
  /** Short calls of another owner that a server answered that lived throughout. */
  readonly shortCalls: number;
  /** The time from such a call to its answer, in milliseconds. */
  readonly worstMs: number;
  readonly medianMs: number;
  readonly deathsInWaits: number;
  /** Questions that `answer_task` answered, and how many of them while servers died. */
  readonly answers: number;
  readonly answersInStorm: number;
  readonly problems: readonly string[];
}

/** Kills servers again and again while half of their tasks wait, and calls them all the time as another owner. */
export async function runWaitingStorm(options: WaitingStormOptions): Promise<WaitingStormReport> {
  const folder = await temporaryFolder();
  const reader = createFsStore({ directory: folder.directory });
  const storm = new WaitingStorm(options, folder.directory, reader);
  try {
    return await storm.run();
  } finally {
    await storm.end();
    await reader.close();
    await folder.remove();
  }
}

class WaitingStorm {
  readonly #options: WaitingStormOptions;
  readonly #directory: string;
  readonly #reader: Store;
  readonly #random: Random;
  readonly #living = new Map<number, ServerLife>();
  readonly #asking: string[] = [];
  readonly #ids: string[] = [];
  readonly #latencies: number[] = [];
  readonly #abort = new AbortController();
  readonly #link: Link;
  readonly #problems: string[] = [];
  #kills = 0;
  #answers = 0;
  #answersInStorm = 0;

  constructor(options: WaitingStormOptions, directory: string, reader: Store) {
    this.#options = options;
    this.#directory = directory;
    this.#reader = reader;
    this.#random = createRandom(options.seed);
    this.#link = createLink({
      url: () => this.#urlOf(this.#anyLife()),
      clientId: randomUUID(),
      signal: this.#abort.signal,
    });
  }

  async run(): Promise<WaitingStormReport> {
    const { servers, kills, log } = this.#options;
    await Promise.all(Array.from({ length: servers }, (_, slot) => this.#begin(slot)));
    await this.#startTasks();
    log(`${this.#ids.length} tasks started`);
    const weather = Array.from({ length: servers }, (_, slot) => this.#weather(slot));
    const probing = this.#probe();
    await Promise.all([...weather, this.#answerInStorm()]);
    log(`${kills} kills; what is left has ${this.#options.calmMs / 1_000} s`);
    await this.#answerRest();
    const records = await this.#endOfAll();
    this.#abort.abort(new Error("The storm is over."));
    await probing;
    return this.#report(records);
  }

  async end(): Promise<void> {
    this.#abort.abort(new Error("The storm is over."));
    await this.#link.close();
    for (const life of this.#living.values()) life.kill("SIGKILL");
    await Promise.allSettled([...this.#living.values()].map((life) => life.death));
  }

  #urlOf(life: ServerLife | undefined): URL {
    // Where no server lives just now, the call fails and is made again.
    return new URL(`http://127.0.0.1:${life?.port ?? 1}/mcp`);
  }

  #anyLife(): ServerLife | undefined {
    const lives = [...this.#living.values()];
    const [first, ...others] = lives;
    return first === undefined ? undefined : this.#random.pick([first, ...others]);
  }

  async #begin(slot: number): Promise<ServerLife> {
    const { leaseTtlMs } = this.#options;
    const life = await beginLife({ directory: this.#directory, port: 0, leaseTtlMs, waiting: true });
    if ("diedAt" in life) throw new Error("A server died before it listened.");
    this.#living.set(slot, life);
    return life;
  }

  async #startTasks(): Promise<void> {
    const { tasks, kills } = this.#options;
    for (let index = 0; index < tasks; index++) {
      const run = `run-${index}`;
      const naps = Array.from({ length: 4 }, () => this.#random.between(1, Math.min(90, kills)) * 1_000);
      const [name, input] =
        index % 2 === 0
          ? ["storm_work", { run, steps: 20 + kills * 4, stepMs: 50 }]
          : index % 4 === 1
            ? ["storm_ask", { run }]
            : ["storm_nap", { run, naps }];
      const started = await this.#link.call(String(name), Object(input), { "resumable-mcp/handoff": 0 });
      const taskId = started._meta?.["resumable-mcp/task_id"] ?? started.structuredContent?.task_id;
      if (typeof taskId !== "string") throw new Error(`No task for ${run}: ${JSON.stringify(started)}`);
      this.#ids.push(taskId);
      if (name === "storm_ask") this.#asking.push(taskId);
    }
  }

  async #weather(slot: number): Promise<void> {
    while (this.#kills < this.#options.kills) {
      const life = this.#living.get(slot) ?? (await this.#begin(slot));
      await pause(this.#random.between(100, 2_000));
      if (this.#kills >= this.#options.kills) return;
      this.#kills += 1;
      this.#living.delete(slot);
      life.kill("SIGKILL");
      await life.death;
      if (this.#kills % 50 === 0) this.#options.log(`${this.#kills} kills`);
      await this.#begin(slot);
    }
  }

  /** Short calls of another owner, one after the other; those whose server died under them are not measured. */
  async #probe(): Promise<void> {
    for (let call = 0; !this.#abort.signal.aborted; call++) {
      const life = this.#anyLife();
      if (life !== undefined) await this.#probeOnce(life, `short-${call}`);
      await pause(100);
    }
  }

  async #probeOnce(life: ServerLife, run: string): Promise<void> {
    let alive = true;
    const over = life.death.then(() => {
      alive = false;
    });
    const stop = new AbortController();
    void over.then(() => stop.abort(new Error("The server died.")));
    const link = createLink({ url: () => this.#urlOf(life), clientId: randomUUID(), signal: stop.signal });
    try {
      await link.connect();
      const begun = performance.now();
      const answer = link.call("storm_short", { run });
      // The answer of a server that dies does not come.
      const given = await Promise.race([answer, over]);
      if (alive) this.#latencies.push(performance.now() - begun);
      else await answer.catch(() => {});
      if (given?.isError === true) this.#problems.push(`storm_short ${run}: ${JSON.stringify(given.content)}`);
    } catch (error) {
      if (alive && !this.#abort.signal.aborted) this.#options.log(`short call: ${String(error)}`);
    } finally {
      await link.close();
    }
  }

  /** Half of the questions get their answers while servers die, spread over the kills. */
  async #answerInStorm(): Promise<void> {
    const early = this.#asking.slice(0, Math.floor(this.#asking.length / 2));
    for (const [index, taskId] of early.entries()) {
      const kills = Math.floor((this.#options.kills * (index + 1)) / (early.length + 1));
      while (this.#kills < kills) await pause(50, undefined, { signal: this.#abort.signal });
      await this.#answer(taskId);
    }
    this.#answersInStorm = this.#answers;
  }

  async #answerRest(): Promise<void> {
    for (const taskId of this.#asking.slice(Math.floor(this.#asking.length / 2))) await this.#answer(taskId);
  }

  /** Answers as a client does: by any server, as soon as the task shows its question. */
  async #answer(taskId: string): Promise<void> {
    if (!(await this.#untilAsked(taskId))) return;
    const given = await this.#link.call("answer_task", { task_id: taskId, key: "go", action: "decline" });
    // A call whose result was lost is repeated: then its answer is there already.
    if (given.isError !== true || codeOf(given) === "ALREADY_ANSWERED") this.#answers += 1;
    else this.#problems.push(`answer_task ${taskId}: ${JSON.stringify(given.content)}`);
  }

  /** Resolves to false when the task will not ask any more. */
  async #untilAsked(taskId: string): Promise<boolean> {
    for (;;) {
      const shown = await this.#link.call("get_task", { task_id: taskId });
      const status = shown.structuredContent?.status;
      if (status === "input_required") return true;
      if (shown.isError === true || status === "completed" || status === "failed") {
        this.#problems.push(`get_task ${taskId}: ${JSON.stringify(shown.content)}`);
        return false;
      }
      await pause(200);
    }
  }

  async #endOfAll(): Promise<readonly TaskRecord[]> {
    const untilMs = performance.now() + this.#options.calmMs;
    for (;;) {
      const records = await this.#records();
      if (records.every(({ status }) => isFinal(status)) || performance.now() > untilMs) return records;
      await pause(500);
    }
  }

  async #records(): Promise<readonly TaskRecord[]> {
    const snapshots = await Promise.all(this.#ids.map((id) => this.#reader.getTask(id)));
    return snapshots.flatMap((snapshot) => (snapshot === undefined ? [] : [snapshot.record]));
  }

  async #report(records: readonly TaskRecord[]): Promise<WaitingStormReport> {
    const problems = [...this.#problems, ...records.flatMap(problemsOf)];
    if (records.length !== this.#ids.length) problems.push(`${this.#ids.length - records.length} tasks are lost`);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    let deathsInWaits = 0;
    for (const { id, tool } of records) if (tool !== "storm_work") deathsInWaits += await this.#deathsOf(id);
    return {
      kills: this.#kills,
      completed: records.filter(({ status }) => status === "completed").length,
      shortCalls: sorted.length,
      worstMs: Math.round(sorted.at(-1) ?? 0),
      medianMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      deathsInWaits,
      answers: this.#answers,
      answersInStorm: this.#answersInStorm,
      problems,
    };
  }

  async #deathsOf(taskId: string): Promise<number> {
    const { events } = await this.#reader.readEvents(taskId, { afterSeq: 0, limit: 1_000 });
    return events.filter((event) => event.type === "attempt_ended" && event.reason === "crashed").length;
  }
}

/** The code of an error result. */
function codeOf({ structuredContent }: CallToolResult): unknown {
  const error = structuredContent?.error;
  return typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
}

function problemsOf({ id, tool, status, error, output }: TaskRecord): readonly string[] {
  if (status !== "completed") return [`${tool} ${id}: ${status} ${error?.code ?? ""}`];
  return tool === "storm_ask" && output !== "decline" ? [`${tool} ${id}: its answer is ${JSON.stringify(output)}`] : [];
}
