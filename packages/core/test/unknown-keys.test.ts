import { expect, test } from "vitest";
import { z } from "zod";
import type { Checkpoint } from "../src/index.js";
import { createRunningScene, job } from "./scene.js";

/** What JavaScript lets an author write. */
const written = (value: object): Checkpoint<{ at: number }, number> => value;

test.each([
  [{ progres: 1, total: 5 }, '"progres" is not a key of a checkpoint (did you mean "progress"?)'],
  [{ progress: 1, sate: { at: 1 } }, '"sate" is not a key of a checkpoint (did you mean "state"?)'],
  [{ apend: [1] }, '"apend" is not a key of a checkpoint (did you mean "append"?)'],
  [{ percent: 10 }, '"percent" is not a key of a checkpoint (known: progress, total, state, append, message)'],
  [
    { Message: "a", items: undefined },
    '"Message" is not a key of a checkpoint (did you mean "message"?); "items" is not a key of a checkpoint (known: progress, total, state, append, message)',
  ],
])(
  "a checkpoint with %j fails its task in the first run, and leaves nothing behind (G3.2)",
  async (value, problems) => {
    const tool = job(async function* () {
      yield { progress: 1, state: { at: 1 }, append: [1] };
      yield written(value);
      return "not reached";
    });
    const { tasks, record } = await createRunningScene(tool);
    const { record: failed } = await tasks.get(record.id);
    expect(failed).toMatchObject({ status: "failed", progress: 1, state: { at: 1 }, itemCount: 1 });
    expect(failed.error).toMatchObject({
      code: "INVALID_VALUE",
      message: `A checkpoint of job is not valid: ${problems}.`,
    });
  },
);

test.each([null, 7, "half"])(
  "a checkpoint that is %j fails its task with INVALID_VALUE, and says what one is",
  async (value) => {
    const tool = job(async function* () {
      yield { progress: 1 };
      yield value as unknown as Checkpoint<{ at: number }, number>;
      return "not reached";
    });
    const { tasks, record } = await createRunningScene(tool);
    const { status, record: failed } = await tasks.get(record.id);
    expect([status, failed.progress, failed.error?.code, failed.error?.message]).toEqual([
      "failed",
      1,
      "INVALID_VALUE",
      "A checkpoint of job is not valid: must be an object such as { progress, total, state }.",
    ]);
  },
);

test("a question with a key that questions do not have is not asked", async () => {
  const tool = job(async function* (task) {
    const question = { message: "Go on?", schema: { type: "object" }, timoutMs: 10 };
    await task.ask("sure", question);
    yield { progress: 1 };
    return "not reached";
  });
  const { tasks, record } = await createRunningScene(tool);
  const { record: failed, questions } = await tasks.get(record.id);
  expect(questions).toEqual([]);
  expect(failed.error).toMatchObject({ message: expect.stringContaining('(did you mean "timeout"?)') });
});

test("a question that no form can show is not asked, and nothing of it is durable (G9)", async () => {
  const address: z.ZodType<unknown, unknown> = z.object({ street: z.string() });
  const tool = job(async function* (task) {
    await task.ask("where", { message: "Where?", schema: z.object({ address }) });
    yield { progress: 1 };
    return "not reached";
  });
  const { tasks, record } = await createRunningScene(tool);
  const { error, remembered } = (await tasks.get(record.id)).record;
  const message =
    'question "where" is not valid: "address" must be a text, a number, true or false, a choice or a list of choices; MCP\'s forms are flat: ask for the parts of an object one by one.';
  expect([error, remembered]).toEqual([{ code: "INVALID_VALUE", message }, {}]);
});
