import { describe, expect, it } from "vitest";
import { type EngineOptions, RetryableError, type StepOptions, TerminalError, ToolError } from "../src/index.js";
import { checkResumable, createManualClock } from "../src/testing.js";
import {
  begin,
  createGate,
  createScene,
  errorOf,
  failOnUnhandledRejections,
  historyOf,
  job,
  killed,
  outputOf,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

const retry = { maxAttempts: 3, initialDelay: "10s" } as const;

/** A tool of one step, which fails as often as the test says. */
function stepping(run: (attempt: number, signal: AbortSignal) => Promise<number> | number, options: StepOptions) {
  return job(async function* (task) {
    const value = await task.step("charge", ({ attempt, signal }) => run(attempt, signal), options);
    yield { progress: 1 };
    return `charged in attempt ${value}`;
  });
}

/** Fails in its first attempts, and notes each. */
function failing(times: number, made: number[] = [], error = () => new Error("503")) {
  return {
    made,
    run: (attempt: number) => {
      made.push(attempt);
      if (attempt <= times) throw error();
      return attempt;
    },
  };
}

describe("a step", () => {
  it("gives its next attempt what the steps in it gave, and refuses their keys when it has ended (G2)", async () => {
    const made: string[] = [];
    const tool = job(async function* (task) {
      const reserve = () => task.step("reserve", () => made.push("reserved"));
      const charged = await task.step(
        "order",
        async ({ attempt }) => {
          const place = await reserve();
          await task.sleep("pause", "1s");
          made.push(`charge ${attempt}`);
          if (attempt < 3) throw new Error("503");
          return place;
        },
        { retry },
      );
      const code = await reserve().catch((error: { code: string }) => error.code);
      yield { progress: 1 };
      return `${charged} ${code}`;
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    await scene.clock.advance(60_000);
    expect(await outputOf(scene, id)).toBe("1 STEP_KEY_REUSED");
    expect(made).toEqual(["reserved", "charge 1", "charge 2", "charge 3"]);
  });

  it("refuses a key that its earlier attempt still uses", async () => {
    const slow = createGate();
    const tool = job(async function* (task) {
      const order = async ({ attempt }: { readonly attempt: number }) => {
        const ended = task.step("slow", () => slow.opened);
        if (attempt === 1) throw new Error("503");
        await ended;
        return "ended";
      };
      yield { progress: 1 };
      return await task.step("order", order, { retry }).catch((error: { code: string }) => error.code);
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    await scene.clock.advance(60_000);
    expect(await outputOf(scene, id)).toBe("STEP_KEY_REUSED");
    slow.open();
  });

  it("says how long each of its attempts took", async () => {
    const clock = createManualClock();
    const slow = (attempt: number) =>
      new Promise<number>((resolve, reject) => {
        clock.after(attempt * 100, () => (attempt === 1 ? reject(new Error("503")) : resolve(attempt)));
      });
    const scene = createScene([stepping(slow, { retry })], {}, undefined, undefined, clock);
    const id = await begin(scene);
    await clock.advance(30_000);
    const took: unknown[] = [];
    for await (const { kind, ...followed } of scene.tasks.follow(id))
      if (kind === "event" && "event" in followed && "ms" in followed.event)
        took.push([followed.event.type, followed.event.ms]);
    expect(took).toEqual([
      ["step_failed", 100],
      ["step", 200],
    ]);
  });
});

describe("a step with retry (G2)", () => {
  it("is tried again after its delay, and writes nothing before the result of a first attempt that works (G2.1)", async () => {
    const { made, run } = failing(2);
    const scene = createScene([stepping(run, { retry })]);
    const id = await begin(scene);
    expect(made).toEqual([1]);
    await scene.clock.advance(9_999);
    expect(made).toEqual([1]);
    await scene.clock.advance(1);
    expect(made).toEqual([1, 2]);
    await scene.clock.advance(20_000);
    expect(await outputOf(scene, id)).toBe("charged in attempt 3");
    const calm = createScene([stepping(failing(0).run, { retry })]);
    expect((await historyOf(calm.tasks, await begin(calm))).slice(1, 4)).toEqual([
      "2 attempt_started",
      "3 step",
      "4 checkpoint",
    ]);
  });

  it("continues after a crash with its count, and waits out the rest of its delay (G2.1, G9.4)", async () => {
    const { made, run } = failing(2);
    let attempt = 1;
    const tool = job(async function* (task) {
      // What a dead process would do is not seen.
      const live = (at: number) => (task.attempt === attempt ? run(at) : new Promise<number>(() => {}));
      const value = await task.step("charge", (step) => live(step.attempt), { retry });
      yield { progress: 1 };
      return `charged in attempt ${value}`;
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    await scene.clock.advance(4_000);
    let next = await killed(scene);
    attempt = 2;
    await next.clock.advance(5_999);
    expect(made).toEqual([1]);
    await next.clock.advance(1);
    expect(made).toEqual([1, 2]);
    for (let deaths = 0; deaths < 6; deaths++) next = await killed(next);
    attempt = 3;
    expect(await next.tasks.get(id)).toMatchObject({ status: "pending", record: { crashes: 0 } });
    await next.clock.advance(20_000);
    expect([made, await outputOf(next, id)]).toEqual([[1, 2, 3], "charged in attempt 3"]);
  });

  it("makes an attempt again that a crash cut off, with the same number (G2)", async () => {
    const made: number[] = [];
    const hangs = async (attempt: number) => {
      made.push(attempt);
      if (made.length === 1) throw new Error("503");
      if (made.length === 2) await new Promise(() => {});
      return attempt;
    };
    const scene = createScene([stepping(hangs, { retry })]);
    const id = await begin(scene);
    await scene.clock.advance(10_000);
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect([made, await outputOf(next, id)]).toEqual([[1, 2, 2], "charged in attempt 2"]);
  });

  it("gives the same wherever its process dies between two commits (G1, G2)", async () => {
    const tool = stepping(failing(2).run, { retry: { maxAttempts: 3, initialDelay: 0 } });
    const { boundaries, differences, output } = await checkResumable(tool, {});
    expect([boundaries, differences, output]).toEqual([6, [], "charged in attempt 3"]);
  });

  it("holds no slot while its delay is long (G11.3)", async () => {
    const { made, run } = failing(1);
    const patient = stepping(run, { retry: { maxAttempts: 2, initialDelay: "10m", maxDelay: "1h" } });
    const scene = createScene([patient]);
    const id = await begin(scene);
    expect([scene.engine.running, (await scene.tasks.get(id)).status]).toEqual([[], "pending"]);
    await scene.clock.advance(600_000);
    expect([made, await outputOf(scene, id)]).toEqual([[1, 2], "charged in attempt 2"]);
  });

  it("fails with the last error as its cause, in the next process too, until its task is continued (G12)", async () => {
    const { made, run } = failing(4);
    const gate = createGate();
    const causes: unknown[] = [];
    const tool = job(async function* (task) {
      try {
        await task.step("charge", ({ attempt }) => run(attempt), { retry: { maxAttempts: 2, initialDelay: 0 } });
      } catch (error) {
        causes.push((error as Error).cause);
        await gate.opened;
        throw error;
      }
      yield { progress: 1 };
      return "done";
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect([made, causes]).toEqual([
      [1, 2],
      [new Error("503"), new Error("503")],
    ]);
    gate.open();
    await next.rest();
    expect(await errorOf(next, id)).toEqual({
      code: "STEP_FAILED",
      message: 'Step "charge" failed 2 times, and its retry allows no more: 503',
    });
    await next.tasks.resume(id);
    await next.rest();
    expect(made).toEqual([1, 2, 1, 2]);
  });

  it("is not tried again after a TerminalError, and after the delay that a RetryableError names (G12)", async () => {
    const terminal = failing(1, [], () => new TerminalError("no such account"));
    const scene = createScene([stepping(terminal.run, { retry })]);
    expect(await errorOf(scene, await begin(scene))).toEqual({
      code: "TOOL_FAILED",
      message: "no such account",
      terminal: true,
    });
    const asking = failing(1, [], () => new RetryableError("429", { delay: "3s" }));
    const other = createScene([stepping(asking.run, { retry })]);
    const id = await begin(other);
    await other.clock.advance(3_000);
    expect([terminal.made, await outputOf(other, id)]).toEqual([[1], "charged in attempt 2"]);
  });

  it("leaves it to the tool's own retry what its attempts could not do (G12)", async () => {
    const { made, run } = failing(2);
    const tool = job(
      async function* (task) {
        const options = { retry: { maxAttempts: task.attempt === 1 ? 2 : 3, initialDelay: 0 } };
        await task.step("charge", ({ attempt }) => run(attempt), options);
        yield { progress: 1 };
        return "done";
      },
      { retry: { maxAttempts: 2, initialDelay: 0 } },
    );
    const scene = createScene([tool]);
    const id = await begin(scene);
    expect([made, await outputOf(scene, id)]).toEqual([[1, 2, 1, 2, 3], "done"]);
  });

  it("does not count what a pause cut off, and continues when the task does (G8)", async () => {
    const made: number[] = [];
    const run = (attempt: number, signal: AbortSignal) => {
      made.push(attempt);
      return made.length === 1 ? untilAborted(signal) : attempt;
    };
    const scene = createScene([stepping(run, { retry })], { limits: { graceMs: 100 } });
    const id = await begin(scene);
    await scene.tasks.pause(id);
    await scene.clock.advance(1_000);
    expect((await scene.tasks.get(id)).status).toBe("paused");
    await scene.tasks.resume(id);
    await scene.rest();
    expect([made, await outputOf(scene, id)]).toEqual([[1, 1], "charged in attempt 1"]);
  });

  it("does not call it waiting while another step works (G9.4)", async () => {
    const gate = createGate();
    const { run } = failing(1);
    const tool = job(async function* (task) {
      await Promise.all([
        task.step("charge", ({ attempt }) => run(attempt), { retry }),
        task.step("work", () => gate.opened.then(() => 1)),
      ]);
      yield { progress: 1 };
      return "done";
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    expect((await scene.tasks.get(id)).record.waitsFor).toBeUndefined();
    gate.open();
    await scene.clock.advance(10_000);
    expect(await outputOf(scene, id)).toBe("done");
  });

  it("hides from its owner why an attempt failed, unless its author says that it is for them (F10)", async () => {
    for (const [error, shown] of [
      [() => new Error("/secret/path"), false],
      [() => new ToolError("No such city."), true],
    ] as const) {
      const heard: unknown[] = [];
      const onToolError: EngineOptions["onToolError"] = (_error, { part }) =>
        heard.push(part && `${part.what}, ${part.attempt}`);
      const options = { maskErrors: true, onToolError };
      const scene = createScene([stepping(failing(3, [], error).run, { retry })], options);
      const id = await begin(scene);
      const { message } = error();
      for (const waitMs of [0, 10_000, 20_000]) {
        await scene.clock.advance(waitMs);
        const seen = [JSON.stringify(await scene.tasks.get(id))];
        const stop = new AbortController();
        for await (const entry of scene.tasks.follow(id, { signal: stop.signal })) {
          seen.push(JSON.stringify(entry));
          if (entry.kind === "event" && entry.event.type === (waitMs < 20_000 ? "step_failed" : "failed")) stop.abort();
        }
        expect(seen.join().includes(message)).toBe(shown);
      }
      // The attempts of the step, and that of the task.
      expect(heard).toEqual([...[1, 2, 3].map((attempt) => `Step "charge", ${attempt}`), undefined]);
    }
  });
});

it("hides what a step returned where errors are hidden (F10)", async () => {
  for (const maskErrors of [true, false]) {
    const scene = createScene([stepping(async () => 47_110_815, {})], { maskErrors });
    const seen: string[] = [];
    const id = await begin(scene);
    for await (const followed of scene.tasks.follow(id))
      if (followed.kind === "event" && followed.event.type === "step") seen.push(JSON.stringify(followed));
    expect([seen.length, seen.join().includes("47110815")]).toEqual([1, !maskErrors]);
  }
});

describe("a step with a timeout (G11)", () => {
  it("has failed when it is over, and aborts its signal, also where its code does not listen", async () => {
    const reasons: unknown[] = [];
    const run = (attempt: number, signal: AbortSignal) => {
      if (attempt === 1)
        return new Promise<number>(() => signal.addEventListener("abort", () => reasons.push(signal.reason)));
      return attempt === 2 ? untilAborted(signal) : attempt;
    };
    const scene = createScene([stepping(run, { retry: { ...retry, initialDelay: "1s" }, timeout: "5s" })]);
    const id = await begin(scene);
    await scene.clock.advance(13_000);
    expect(reasons).toMatchObject([{ code: "ATTEMPT_TIMEOUT" }]);
    expect(await outputOf(scene, id)).toBe("charged in attempt 3");
    const once = createScene([stepping(run, { timeout: 5_000 })]);
    const other = await begin(once);
    await once.clock.advance(5_000);
    expect(await errorOf(once, other)).toMatchObject({
      code: "ATTEMPT_TIMEOUT",
      message: 'Step "charge" reached its timeout (5000 ms) and was stopped. Give it more time, or make it smaller.',
    });
  });

  it("is refused with options that mean nothing (G12)", async () => {
    const wrong: readonly [object, string][] = [
      [{ timeout: "5 s" }, "The timeout of step"],
      [{ timeout: 0 }, "timeout must be more than 0"],
      [{ retries: 3 }, '"retries" is not a key of step (known: retry, timeout)'],
      [{ retry: { maxAttempts: 0 } }, "maxAttempts must be a whole number from 1 on"],
      [{ retry: { maxAttempts: 2, initialDelayMs: 5 } }, 'did you mean "initialDelay"'],
      [{ retry: { maxAttempts: 2, maxDelay: Number.POSITIVE_INFINITY } }, "maxDelay must be"],
      [{ retry: { maxAttempts: 2, factor: 0.5 } }, "factor must be"],
    ];
    for (const [options, message] of wrong) {
      const scene = createScene([stepping(failing(0).run, options)]);
      expect(await errorOf(scene, await begin(scene))).toMatchObject({
        code: "INVALID_VALUE",
        message: expect.stringContaining(message),
      });
    }
  });
});
