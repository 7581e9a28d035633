import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isFinal, type JsonObject, type Store } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import type { FinalTask, PlannedFacts } from "@resumable-mcp/simulation/history";
import type { Life, LifeOrder } from "../kills/life.js";
import { problemsOf, type StormHistory } from "../kills/storm-history.js";
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

/** The default of every engine. */
const maxRunning = 32;

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
  /** The tasks that ask, and the answers to them. */
  readonly #asking = new Map<string, string>();
  readonly #calls: PlannedFacts[] = [];
  readonly #latencies: number[] = [];
  readonly #abort = new AbortController();
  readonly #clientId = randomUUID();
  readonly #link: Link;
  /** Answers that no caller may get. */
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
    this.#link = createLink({ url: () => this.#weather.anyUrl(), clientId: this.#clientId, signal });
  }

  async run(): Promise<StormReport> {
    await this.#weather.begin(0);
    await this.#startTasks();
    console.log(`${this.#calls.length} tasks started`);
    const probing = this.#probe();
    await Promise.all([this.#weather.run(), this.#answerInStorm()]);
    const answersInStorm = this.#answers;
    console.log(`${this.#weather.kills} kills; what is left has ${calmMs / 1_000} s`);
    for (const [taskId, word] of [...this.#asking].slice(this.#answeredInStorm)) await this.#answer(taskId, word);
    this.#history.add("ended", { all: await this.#endOfAll() });
    this.#abort.abort(new Error("The storm is over."));
    await probing;
    return this.#report(answersInStorm);
  }

  /** How many of the questions get their answers while servers die. */
  get #answeredInStorm(): number {
    return Math.floor(this.#asking.size / 2);
  }

  get #history(): StormHistory {
    return this.#weather.history;
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
      const nap = () => ({ ms: this.#weather.random.between(1, Math.min(90, kills)) * 1_000 });
      const steps = 20 + kills * 4;
      const word = `the word of ${run}`;
      if (index % 2 === 0) await this.#start("storm_work", { run, steps, stepMs: 50 }, { output: steps, items: steps });
      else if (index % 4 === 1)
        this.#asking.set(await this.#start("storm_ask", { run }, { output: word, items: 0 }), word);
      else await this.#start("storm_nap", { run, program: Array.from({ length: 4 }, nap) }, { output: 4, items: 0 });
    }
  }

  async #start(
    tool: string,
    input: { readonly run: string } & JsonObject,
    expects: PlannedFacts["expects"],
  ): Promise<string> {
    const name = input.run;
    const task = await this.#link.start(tool, input);
    this.#calls.push({ name, owner: this.#clientId, via: "2025", input, callId: name, expects });
    this.#history.add("called", { caller: name, task });
    return task;
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
      const facts = { probe: run, worker: life.name };
      this.#history.add("probe_begins", facts);
      const answer = link.call("storm_short", { run });
      // The answer of a server that dies does not come.
      const given = await Promise.race([answer, over]);
      if (stop.signal.aborted) await answer.catch(() => {});
      else {
        this.#history.add("probe_ends", facts);
        this.#latencies.push(performance.now() - begun);
      }
      if (given?.isError === true) this.#problems.push(`storm_short ${run}: ${JSON.stringify(given.content)}`);
    } catch (error) {
      if (!stop.signal.aborted && !this.#abort.signal.aborted) console.log(`short call: ${String(error)}`);
    } finally {
      await link.close();
    }
  }

  /** Half of the questions get their answers while servers die, spread over the kills. */
  async #answerInStorm(): Promise<void> {
    const early = [...this.#asking].slice(0, this.#answeredInStorm);
    for (const [index, [taskId, word]] of early.entries()) {
      const kills = Math.floor((this.#options.kills * (index + 1)) / (early.length + 1));
      while (this.#weather.kills < kills) await pause(50, undefined, { signal: this.#abort.signal });
      await this.#answer(taskId, word);
    }
  }

  /** Answers as a client does: by any server, as soon as the task shows its question. */
  async #answer(taskId: string, word: string): Promise<void> {
    if (!(await this.#untilAsked(taskId))) return;
    const key = "ask-0";
    const answer = { task_id: taskId, key, action: "accept", content: { word } };
    const given = await this.#link.call("answer_task", answer);
    // A call whose result was lost is repeated: then its answer is there already.
    if (given.isError !== true || codeOf(given) === "ALREADY_ANSWERED") {
      this.#answers += 1;
      this.#history.add("answer_accepted", { task: taskId, key, word });
    } else this.#problems.push(`answer_task ${taskId}: ${JSON.stringify(given.content)}`);
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

  /** Resolves to whether all tasks have ended. */
  async #endOfAll(): Promise<boolean> {
    const untilMs = performance.now() + calmMs;
    const hasEnded = async (id: string) => {
      const found = await this.#reader.getTask(id);
      return found === undefined || isFinal(found.record.status);
    };
    for (const id of this.#history.tasks()) {
      while (!(await hasEnded(id))) {
        if (performance.now() > untilMs) return false;
        await pause(500);
      }
    }
    return true;
  }

  async #report(answersInStorm: number): Promise<StormReport> {
    const { maxLatencyMs } = this.#options;
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const [medianMs, worstMs] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0].map(Math.round);
    const evidence = await this.#history.evidence(this.#reader, {
      calls: this.#calls,
      maxRunning,
      // How long a wait takes beyond its time is not judged: the tasks that work may have all slots of their owner.
      patience: { probeMs: maxLatencyMs },
    });
    const deaths = evidence.tasks.filter(({ record }) => record.tool !== "storm_work").reduce(sumDeaths, 0);
    return {
      lines: [
        `${this.#weather.kills} kills, ${deaths} of them in attempts of waiting tasks`,
        `${this.#answers} questions answered through answer_task, ${answersInStorm} of them while servers died`,
        `${sorted.length} short calls of others: median ${medianMs} ms, worst ${worstMs} ms`,
      ],
      problems: [...this.#problems, ...problemsOf(evidence)],
      complete: `${evidence.tasks.filter(({ record }) => record.status === "completed").length} tasks`,
    };
  }
}

function sumDeaths(sum: number, { followed }: FinalTask): number {
  const isDeath = (each: Followed) =>
    each.kind === "event" && each.event.type === "attempt_ended" && each.event.reason === "crashed";
  return sum + followed.filter(isDeath).length;
}

/** The code of an error result. */
function codeOf({ structuredContent }: CallToolResult): unknown {
  return Reflect.get(Object(structuredContent?.error), "code");
}
