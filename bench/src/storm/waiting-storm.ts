import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import type { Life, LifeOrder } from "../kills/life.js";
import { nowhere, type StormReport, Weather } from "../kills/weather.js";
import { createLink, type Link } from "./driver.js";

/** How hard the storm is. */
export interface WaitingStormOptions {
  readonly kills: number;
  /** Half of them wait for an answer or a sleep, the others work. */
  readonly tasks: number;
  readonly servers: number;
  readonly seed: number;
  /** The longest time of a short call of another owner, in milliseconds. */
  readonly maxLatencyMs: number;
}

/** How long the last servers have for what is left after the kills. */
const calmMs = 600_000;

/** Kills servers again and again while half of their tasks wait, and calls them all the time as another owner. */
export async function runWaitingStorm(
  options: WaitingStormOptions,
  directory: string,
  reader: Store,
): Promise<StormReport> {
  const { kills, tasks, servers, seed } = options;
  console.log(`storm: ${kills} kills, ${tasks} tasks of which half wait, ${servers} servers, seed ${seed}`);
  const order: LifeOrder & { readonly waiting: true } = { directory, leaseTtlMs: 1_500, waiting: true };
  const storm = new WaitingStorm(options, order, reader);
  try {
    return await storm.run();
  } finally {
    await storm.end();
  }
}

class WaitingStorm {
  readonly #options: WaitingStormOptions;
  readonly #reader: Store;
  readonly #weather: Weather;
  readonly #asking: string[] = [];
  readonly #ids: string[] = [];
  readonly #latencies: number[] = [];
  readonly #abort = new AbortController();
  readonly #link: Link;
  readonly #problems: string[] = [];
  #answers = 0;

  constructor(options: WaitingStormOptions, order: LifeOrder, reader: Store) {
    const { kills, servers: processes, seed } = options;
    this.#options = options;
    this.#reader = reader;
    this.#weather = new Weather({
      program: "storm/storm-server.js",
      order,
      kills,
      processes,
      seed,
      idle: true,
      plan: (random) => ({ kind: "moment", afterMs: random.between(100, 2_000) }),
    });
    const { signal } = this.#abort;
    this.#link = createLink({ url: () => this.#weather.anyUrl(), clientId: randomUUID(), signal });
  }

  async run(): Promise<StormReport> {
    await this.#weather.begin(0);
    await this.#startTasks();
    console.log(`${this.#ids.length} tasks started`);
    const probing = this.#probe();
    await Promise.all([this.#weather.run(), this.#answerInStorm()]);
    const answersInStorm = this.#answers;
    console.log(`${this.#weather.kills} kills; what is left has ${calmMs / 1_000} s`);
    for (const taskId of this.#asking.slice(answeredInStorm(this.#asking))) await this.#answer(taskId);
    const records = await this.#endOfAll();
    this.#abort.abort(new Error("The storm is over."));
    await probing;
    return this.#report(records, answersInStorm);
  }

  async end(): Promise<void> {
    this.#abort.abort(new Error("The storm is over."));
    await this.#link.close();
    await this.#weather.end();
  }

  async #startTasks(): Promise<void> {
    const { tasks, kills } = this.#options;
    for (let index = 0; index < tasks; index++) {
      const run = `run-${index}`;
      const naps = Array.from({ length: 4 }, () => this.#weather.random.between(1, Math.min(90, kills)) * 1_000);
      const [name, input] =
        index % 2 === 0
          ? ["storm_work", { run, steps: 20 + kills * 4, stepMs: 50 }]
          : index % 4 === 1
            ? ["storm_ask", { run }]
            : ["storm_nap", { run, naps }];
      const taskId = await this.#link.start(String(name), Object(input));
      this.#ids.push(taskId);
      if (name === "storm_ask") this.#asking.push(taskId);
    }
  }

  /** Short calls of another owner, one after the other; those whose server died under them are not measured. */
  async #probe(): Promise<void> {
    for (let call = 0; !this.#abort.signal.aborted; call++) {
      const life = this.#weather.anyServer();
      if (life !== undefined) await this.#probeOnce(life, `short-${call}`);
      await pause(100);
    }
  }

  async #probeOnce(life: Life, run: string): Promise<void> {
    const stop = new AbortController();
    const over = life.death.finally(() => stop.abort(new Error("The server died."))).then(() => undefined);
    over.catch(() => {});
    const link = createLink({ url: () => life.url() ?? nowhere, clientId: randomUUID(), signal: stop.signal });
    try {
      await link.connect();
      const begun = performance.now();
      const answer = link.call("storm_short", { run });
      // The answer of a server that dies does not come.
      const given = await Promise.race([answer, over]);
      if (stop.signal.aborted) await answer.catch(() => {});
      else this.#latencies.push(performance.now() - begun);
      if (given?.isError === true) this.#problems.push(`storm_short ${run}: ${JSON.stringify(given.content)}`);
    } catch (error) {
      if (!stop.signal.aborted && !this.#abort.signal.aborted) console.log(`short call: ${String(error)}`);
    } finally {
      await link.close();
    }
  }

  /** Half of the questions get their answers while servers die, spread over the kills. */
  async #answerInStorm(): Promise<void> {
    const early = this.#asking.slice(0, answeredInStorm(this.#asking));
    for (const [index, taskId] of early.entries()) {
      const kills = Math.floor((this.#options.kills * (index + 1)) / (early.length + 1));
      while (this.#weather.kills < kills) await pause(50, undefined, { signal: this.#abort.signal });
      await this.#answer(taskId);
    }
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
    const untilMs = performance.now() + calmMs;
    for (;;) {
      const snapshots = await Promise.all(this.#ids.map((id) => this.#reader.getTask(id)));
      const records = snapshots.flatMap((snapshot) => (snapshot === undefined ? [] : [snapshot.record]));
      if (records.every(({ status }) => isFinal(status)) || performance.now() > untilMs) return records;
      await pause(500);
    }
  }

  async #report(records: readonly TaskRecord[], answersInStorm: number): Promise<StormReport> {
    const { maxLatencyMs } = this.#options;
    const problems = [...this.#problems, ...records.flatMap(problemsOf)];
    if (records.length !== this.#ids.length) problems.push(`${this.#ids.length - records.length} tasks are lost`);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const [medianMs, worstMs] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0].map(Math.round);
    if (Number(worstMs) > maxLatencyMs) problems.push(`a short call took ${worstMs} ms`);
    let deaths = 0;
    for (const { id, tool } of records) if (tool !== "storm_work") deaths += await this.#deathsOf(id);
    return {
      lines: [
        `${this.#weather.kills} kills, ${deaths} of them in attempts of waiting tasks`,
        `${this.#answers} questions answered through answer_task, ${answersInStorm} of them while servers died`,
        `${sorted.length} short calls of others: median ${medianMs} ms, worst ${worstMs} ms`,
      ],
      problems,
      complete: `${records.filter(({ status }) => status === "completed").length} tasks`,
    };
  }

  async #deathsOf(taskId: string): Promise<number> {
    const { events } = await this.#reader.readEvents(taskId, { afterSeq: 0, limit: 1_000 });
    return events.filter((event) => event.type === "attempt_ended" && event.reason === "crashed").length;
  }
}

/** How many of the questions get their answers while servers die. */
function answeredInStorm(asking: readonly string[]): number {
  return Math.floor(asking.length / 2);
}

/** The code of an error result. */
function codeOf({ structuredContent }: CallToolResult): unknown {
  return Reflect.get(Object(structuredContent?.error), "code");
}

function problemsOf({ id, tool, status, error, output }: TaskRecord): readonly string[] {
  if (status !== "completed") return [`${tool} ${id}: ${status} ${error?.code ?? ""}`];
  return tool === "storm_ask" && output !== "decline" ? [`${tool} ${id}: its answer is ${JSON.stringify(output)}`] : [];
}
