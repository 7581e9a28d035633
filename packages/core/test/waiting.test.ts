import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createGate, createScene, failOnUnhandledRejections, historyOf, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

const yesNo = z.object({ yes: z.boolean() });
const accept = { action: "accept", content: { yes: true } } as const;
const question = { message: "Sure?", schema: yesNo };

/** Kills the process and opens the next one on the same data, `times` times, each time after a while. */
async function killAgainAndAgain(scene: Scene, times: number, livesMs: number): Promise<Scene> {
  let current = scene;
  for (let count = 0; count < times; count++) {
    current.store.kill({ noticed: true });
    current = current.another();
    await current.engine.open();
    await current.clock.advance(livesMs);
  }
  return current;
}

describe("a process that dies while a task only waits", () => {
  it.each([0, 5_000, 40_000])(
    "any number of times does not fail a task that waits for its answer; lives of %i ms (G9.4)",
    async (livesMs) => {
      const tool = job(async function* (task) {
        const answer = await task.ask("sure", question);
        yield { progress: 1 };
        return JSON.stringify(answer);
      });
      const scene = createScene([tool]);
      const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
      await scene.rest();
      const last = await killAgainAndAgain(scene, 6, livesMs);
      expect(await last.tasks.get(record.id)).toMatchObject({ status: "input_required", record: { crashes: 0 } });
      await last.tasks.answer(record.id, "sure", accept);
      await last.rest();
      expect(await last.tasks.get(record.id)).toMatchObject({
        status: "completed",
        record: { output: JSON.stringify(accept) },
      });
    },
  );

  it("does not fail a task that comes back to one of two questions (G9)", async () => {
    const tool = job(async function* (task) {
      const answers = await Promise.all([task.ask("first", question), task.ask("second", question)]);
      yield { progress: 1 };
      return answers.map(({ action }) => action).join();
    });
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.clock.advance(40_000);
    await scene.tasks.answer(record.id, "first", accept);
    await scene.rest();
    const last = await killAgainAndAgain(scene, 6, 0);
    expect(await last.tasks.get(record.id)).toMatchObject({ status: "input_required", record: { crashes: 0 } });
    await last.tasks.answer(record.id, "second", { action: "decline" });
    await last.rest();
    expect((await last.tasks.get(record.id)).record.output).toBe("accept,decline");
  });

  it("does not fail a task that sleeps, in place or without a slot, and ends the sleep at its time (G2.1, G9.4)", async () => {
    const tool = job(async function* (task) {
      await task.sleep("short", 20_000);
      await task.sleep("long", 600_000);
      yield { progress: 1 };
      return "slept";
    });
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    const woken = await killAgainAndAgain(scene, 10, 2_000);
    await woken.clock.advance(10_000);
    const last = await killAgainAndAgain(woken, 5, 100_000);
    expect(await last.tasks.get(record.id)).toMatchObject({ status: "pending", record: { crashes: 0 } });
    await last.clock.advance(100_000);
    expect((await last.tasks.get(record.id)).record.output).toBe("slept");
  });

  it("does not fail a task that waits for its next attempt after a failure (G9.4)", async () => {
    const tool = job(
      async function* (task) {
        if (task.attempt === 1) throw new Error("The service is down.");
        yield { progress: 1 };
        return "done";
      },
      { retry: { maxAttempts: 2, initialDelay: 60_000 } },
    );
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    const last = await killAgainAndAgain(scene, 6, 1_000);
    expect(await last.tasks.get(record.id)).toMatchObject({ status: "pending", record: { crashes: 0, attempt: 1 } });
    await last.clock.advance(60_000);
    expect((await last.tasks.get(record.id)).record.output).toBe("done");
  });

  it("lets a task go on at once that worked in a step while its question was open (G2, G9)", async () => {
    const gate = createGate();
    const tool = job(async function* (task) {
      const work = async () => {
        await gate.opened;
        return task.attempt;
      };
      const [answer, attempt] = await Promise.all([task.ask("sure", question), task.step("work", work)]);
      yield { progress: 1 };
      return `${answer.action}, worked in attempt ${attempt}`;
    });
    const scene = createScene([tool], { limits: { crashBackoffMs: 1_000 } });
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    const last = await killAgainAndAgain(scene, 1, 1_000);
    expect(await last.tasks.get(record.id)).toMatchObject({ record: { attempt: 2, crashes: 1 } });
    gate.open();
    await last.tasks.answer(record.id, "sure", accept);
    await last.rest();
    expect((await last.tasks.get(record.id)).record.output).toBe("accept, worked in attempt 2");
  });
});

/** A tool that takes its process down: the test kills it where the tool hangs. */
const hangs = () => new Promise<never>(() => {});

describe("a tool that kills its process", () => {
  it("and asks without waiting for the answer is not tried before the answer, and ends with CRASH_LOOP after it (G12)", async () => {
    let attempts = 0;
    const tool = job(async function* (task) {
      attempts += 1;
      void task.ask("sure", question);
      await hangs();
      yield { progress: 1 };
      return "never";
    });
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    const asked = await killAgainAndAgain(scene, 10, 10_000);
    expect([attempts, (await asked.tasks.get(record.id)).status]).toEqual([1, "input_required"]);
    await asked.tasks.answer(record.id, "sure", accept);
    await asked.rest();
    const last = await killAgainAndAgain(asked, 3, 10_000);
    expect(await last.tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { error: { code: "CRASH_LOOP", message: expect.not.stringMatching(/[a-z]_task/) } },
    });
    expect(attempts).toBe(4);
  });

  it("and sleeps under a new key in each attempt ends with CRASH_LOOP too (G12)", async () => {
    let attempts = 0;
    const tool = job(async function* (task) {
      attempts += 1;
      void task.sleep(`nap ${task.attempt}`, 1_000);
      await hangs();
      yield { progress: 1 };
      return "never";
    });
    const scene = createScene([tool], { limits: { maxDeathsInWaits: 5 } });
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    const last = await killAgainAndAgain(scene, 10, 10_000);
    expect(await last.tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { error: { code: "CRASH_LOOP" } },
    });
    expect(attempts).toBe(5);
  });

  it("after its sleep is over is excused once, and counted from then on (G12)", async () => {
    const tool = job(async function* (task) {
      await task.sleep("nap", 1_000);
      await hangs();
      yield { progress: 1 };
      return "never";
    });
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.clock.advance(2_000);
    const last = await killAgainAndAgain(scene, 4, 10_000);
    expect((await last.tasks.get(record.id)).record.error?.code).toBe("CRASH_LOOP");
    expect((await historyOf(last.tasks, record.id)).filter((entry) => entry.endsWith("ended:crashed"))).toHaveLength(4);
  });
});
