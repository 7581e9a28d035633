import { type Engine, isFinal, isResumableError, type Json, type TaskRecord } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import { artifactsOf } from "@resumable-mcp/core/store";
import { artifactText } from "../callers/script-tool.js";
import type { SetAside } from "../history/check-damage.js";
import type { FinalTask } from "../history/evidence.js";
import type { History } from "../history/history.js";
import { Connection } from "../machine/connection.js";
import type { Worker } from "../machine/worker.js";
import { newActor, type World } from "../world/world.js";

/** Rounds come slower while there is nothing to do but wait. */
const minRoundMs = 1_000;
const maxRoundMs = 8_000;
/** A session that a living process takes over begins its calls again after seconds. */
const quietRoundMs = 2_500;

/** Sees to it that every task can end: resumes what is paused, answers what is asked. Then reads everything. */
export class Closer {
  readonly #world: World;
  readonly #history: History;
  readonly #pickWorker: () => Worker | undefined;
  readonly #owners: readonly string[];
  readonly #actor = newActor("closer");
  #rounds = 0;
  #helped = 0;

  constructor(world: World, history: History, pickWorker: () => Worker | undefined, owners: readonly string[]) {
    this.#world = world;
    this.#history = history;
    this.#pickWorker = pickWorker;
    this.#owners = owners;
  }

  /** `isQuiet`: no caller may begin a task any more. */
  async untilAllEnd(endMs: number, isQuiet: () => boolean): Promise<void> {
    let isDone = false;
    let emptyRounds = 0;
    let waitMs = minRoundMs;
    const round = async (): Promise<void> => {
      const helped = this.#helped;
      emptyRounds = (await this.#oneRound()) === 0 ? emptyRounds + 1 : 0;
      // A call that is under way may still begin a task.
      if (emptyRounds > 3 && isQuiet()) isDone = true;
      if (emptyRounds > 0) waitMs = quietRoundMs;
      else waitMs = this.#helped > helped ? minRoundMs : Math.min(2 * waitMs, maxRoundMs);
      this.#world.after(waitMs, () => void round(), this.#actor);
    };
    this.#world.after(10, () => void round(), this.#actor);
    await this.#world.runUntil(endMs, () => isDone);
    this.#history.add("ended", { all: emptyRounds > 3, rounds: this.#rounds });
  }

  /** How many tasks have not ended; `Infinity` when no worker could be asked. */
  async #oneRound(): Promise<number> {
    this.#rounds += 1;
    const worker = this.#pickWorker();
    if (worker === undefined) return Number.POSITIVE_INFINITY;
    const connection = new Connection(this.#world, this.#actor, worker);
    let left = 0;
    try {
      for (const owner of this.#owners) {
        const { tasks } = await connection.ask((engine) => engine.forOwner(owner).list({ limit: 1_000 }));
        for (const { id, status } of tasks) {
          if (isFinal(status)) continue;
          left += 1;
          await this.#help(connection, owner, id);
        }
      }
      return left;
    } catch (error) {
      this.#history.add("closer_failed", { error: String(error) });
      return Number.POSITIVE_INFINITY;
    } finally {
      connection.break("the round is over");
    }
  }

  async #help(connection: Connection, owner: string, id: string): Promise<void> {
    const view = await this.#ifPresent(connection.ask((engine) => engine.forOwner(owner).get(id)));
    if (view === undefined) return;
    if (view.status === "paused") {
      this.#history.add("requests", { task: id, what: "resume" });
      this.#helped += 1;
      await connection.ask((engine) => engine.forOwner(owner).resume(id)).catch(() => undefined);
    }
    if (view.status !== "paused" && (view.status === "input_required") !== view.questions.length > 0)
      this.#history.add("misread", { task: id, status: view.status, questions: view.questions.length });
    for (const { key } of view.questions) {
      this.#helped += 1;
      const word = `closer-${key}`;
      this.#history.add("answers", { task: id, key, word });
      await connection
        .ask((engine) => engine.forOwner(owner).answer(id, key, { action: "accept", content: { word } }))
        .then(
          () => this.#history.add("answer_accepted", { task: id, key, word }),
          (error: unknown) => this.#history.add("answer_refused", { task: id, key, word, error: String(error) }),
        );
    }
  }

  /** @param setAside which tasks the store has set aside by then. */
  async readAll(setAside: () => ReadonlyMap<string, string>): Promise<{ tasks: FinalTask[]; setAside: SetAside[] }> {
    const found: FinalTask[] = [];
    const codes: SetAside[] = [];
    let isDone = false;
    const read = async (): Promise<void> => {
      const worker = this.#pickWorker();
      if (worker === undefined) return;
      const connection = new Connection(this.#world, this.#actor, worker);
      for (const owner of this.#owners) {
        const { tasks } = await connection.ask((engine) => engine.forOwner(owner).list({ limit: 1_000 }));
        for (const { id } of tasks) {
          const task = await this.#ifPresent(this.#read(connection, owner, id));
          if (task !== undefined) found.push(task);
        }
      }
      const aside = setAside();
      for (const task of new Set([...aside.keys(), ...this.#rotted()])) {
        const code = await this.#codeOf(connection, task);
        // A loss of power may have brought a task back that was set aside.
        if (aside.has(task) || code === "TASK_CORRUPT") codes.push({ task, report: aside.get(task) ?? "", code });
      }
    };
    this.#world.after(
      10,
      () => {
        read()
          .catch((error: unknown) => this.#history.add("not_read", { error: String(error) }))
          .finally(() => {
            isDone = true;
          });
      },
      this.#actor,
    );
    await this.#world.runUntil(this.#world.nowMs + 60_000, () => isDone);
    return { tasks: found, setAside: codes };
  }

  #rotted(): readonly string[] {
    return this.#history.events.flatMap(({ kind, task }) =>
      kind === "rotted" && task !== undefined ? [`${task}`] : [],
    );
  }

  async #codeOf(connection: Connection, task: string): Promise<string | undefined> {
    return connection.ask(async (engine) => {
      try {
        // Not as an owner: what is left of the task may not say whose it is.
        await engine.readTask(task);
      } catch (error) {
        if (isResumableError(error)) return error.code;
        throw error;
      }
      return undefined;
    });
  }

  /** What was listed may have expired since, or turn out to be damaged. */
  async #ifPresent<Value>(value: Promise<Value>): Promise<Value | undefined> {
    try {
      return await value;
    } catch (error) {
      if (isResumableError(error, "TASK_NOT_FOUND", "TASK_CORRUPT")) return undefined;
      throw error;
    }
  }

  async #read(connection: Connection, owner: string, id: string): Promise<FinalTask> {
    const { record } = await connection.ask((engine) => engine.forOwner(owner).get(id));
    const items: Json[] = [];
    for (;;) {
      const page = await connection.ask((engine) => engine.forOwner(owner).items(id, { after: items.length }));
      if (page.items.length === 0) break;
      items.push(...page.items);
    }
    const followed = isFinal(record.status)
      ? await connection.ask((engine) => readJournal(engine.forOwner(owner).follow(id)))
      : [];
    await this.#readArtifacts(connection, owner, record);
    return { owner, record, items, followed };
  }

  /** One that a disk damaged is said to be so. */
  async #readArtifacts(connection: Connection, owner: string, record: TaskRecord): Promise<void> {
    const { id: task } = record;
    for (const { name, bytes } of artifactsOf(record)) {
      const read = async (engine: Engine) => readText((await engine.forOwner(owner).artifact(task, name)).read());
      const found = await connection.ask(read).catch((error: unknown) => {
        if (isResumableError(error, "TASK_NOT_FOUND")) throw error;
        return String(error);
      });
      const isDamaged = found.includes("TASK_CORRUPT") && this.#rotted().includes(task);
      if (found !== artifactText(task, name, bytes) && !isDamaged)
        this.#history.add("artifact_differs", { task, key: name, found: found.slice(0, 200) });
    }
  }
}

async function readText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all).toString();
}

async function readJournal(journal: AsyncIterable<Followed>): Promise<readonly Followed[]> {
  const all: Followed[] = [];
  for await (const followed of journal) all.push(followed);
  return all;
}
