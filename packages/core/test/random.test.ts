import { expect, it } from "vitest";
import { type MemoryStore, ResumableError, type Store } from "../src/index.js";
import { createScene, failOnUnhandledRejections, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

/** Numbers from 0 to 1 that are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const limits = {
  leaseTtlMs: 3_000,
  crashBackoffMs: 10,
  maxCrashesWithoutProgress: 100,
  graceMs: 500,
  waitInPlaceMs: 1_000,
  maxRunning: 3,
  trialMs: 2_000,
};
const wanted = [1, 2, 3, 4, 5, 6];

/** Tasks on a store that fails now and then, before or after it has written, in a process that does not live long. */
class Storm {
  readonly ids: string[] = [];
  readonly cancelled = new Set<string>();
  readonly #random: () => number;
  readonly #tool;
  #current: Scene;

  constructor(seed: number) {
    const random = createRandom(seed);
    this.#random = random;
    this.#tool = job(async function* (task) {
      for (const at of wanted.slice(task.state.at)) {
        await task.sleep(`sleep-${at}`, Math.floor(random() * 3_000));
        await task.step(`step-${at}`, () => at);
        yield { progress: at, state: { at }, append: [at] };
      }
      return "done";
    });
    this.#current = createScene([this.#tool], { limits }, (store) => this.#flaky(store));
  }

  get scene(): Scene {
    return this.#current;
  }

  async begin(count: number): Promise<void> {
    const { tasks } = this.#current;
    for (let n = 0; n < count; n++) {
      const { record } = await tasks.start({ tool: "job", input: { n }, detached: n % 2 === 0 });
      this.ids.push(record.id);
    }
  }

  async happen(): Promise<void> {
    const { tasks, store, engine, clock } = this.#current;
    await clock.advance(Math.floor(this.#random() * 1_500));
    const id = this.ids[Math.floor(this.#random() * this.ids.length)] ?? "";
    const what = this.#random();
    // Requests that the task's status does not allow, or that the store refuses, are part of the storm.
    const done = (request: Promise<unknown>) =>
      request.then(
        () => true,
        () => false,
      );
    if (what < 0.3) await done(tasks.pause(id));
    else if (what < 0.6) await done(tasks.resume(id));
    else if (what < 0.65) this.cancelled.add((await done(tasks.cancel(id))) ? id : "");
    else if (what < 0.8) {
      store.kill({ noticed: what < 0.72 });
      await this.#restart();
    } else if (what < 0.85) {
      const drained = engine.drain({ timeoutMs: 900 });
      await clock.advance(900);
      await drained;
      await this.#restart();
    }
  }

  async #restart(): Promise<void> {
    const { store, clock } = this.#current;
    this.#current = createScene([this.#tool], { limits }, (inner) => this.#flaky(inner), store.anotherProcess(), clock);
    await this.#current.engine.open();
  }

  #flaky(store: MemoryStore): Store {
    const maybeFail = (): void => {
      if (this.#random() > 0.04) return;
      throw new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details: { path: "", reason: "ENOSPC" } });
    };
    return {
      ...store,
      async commit(request) {
        maybeFail();
        const result = await store.commit(request);
        maybeFail();
        return result;
      },
    };
  }
}

it.each([7, 42])(
  "brings every task to its end with each item once, whatever happens on the way: seed %i (G1, G2, G4, G8, G12)",
  { timeout: 60_000 },
  async (seed) => {
    const storm = new Storm(seed);
    await storm.begin(5);
    for (let step = 0; step < 25; step++) await storm.happen();
    const { tasks, clock, engine } = storm.scene;
    for (const id of storm.ids) await tasks.resume(id).catch(() => undefined);
    await clock.advance(90_000);
    for (const id of storm.ids.filter((each) => !storm.cancelled.has(each))) {
      const { status, record } = await tasks.get(id);
      const { items } = await tasks.items(id);
      expect({ id, status, error: record.error, items }).toEqual({ id, status: "completed", items: wanted });
    }
    expect(storm.cancelled.size).toBeLessThan(storm.ids.length);
    expect(engine.running).toEqual([]);
  },
);
