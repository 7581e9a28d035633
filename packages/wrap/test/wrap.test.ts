import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type WrapOptions, wrap } from "../src/index.js";
import { lowerLimit, openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("raw-server.js", import.meta.url));
const owner = "local:test";
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrap-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const open = (options: Partial<WrapOptions> = {}) =>
  openWrapped({ command: "node", args: [program, join(folder, "effects")], ...options });

const effects = async () => (await readFile(join(folder, "effects"), "utf8")).trim().split("\n");
const resultOf = ({ record }: TaskView): JsonObject => Object(Object(record.output).result);

async function call(tool: string, input: JsonObject, options?: Partial<WrapOptions>) {
  const { tasks } = await open(options);
  const { record } = await tasks.start({ tool, input });
  return tasks.wait(record.id);
}

describe("a call of a wrapped server", () => {
  it("is listed as its server lists it, and answers what its server answers, with its progress", async () => {
    const { definition, tasks } = await open();
    expect(definition).toMatchObject({ name: "raw", version: "1", instructions: "Use me.", prefix: "resumable_" });
    expect(definition.tools.map(({ mirrors }) => mirrors)).toContainEqual(
      expect.objectContaining({ name: "work", "x-unknown": { kept: true } }),
    );
    const { record } = await tasks.start({ tool: "work", input: { steps: 2 } });
    const ended = await tasks.wait(record.id);
    expect(resultOf(ended)).toEqual({
      content: [{ type: "text", text: "done" }],
      _meta: { id: "own", n: expect.any(Number) },
    });
    expect(ended.record).toMatchObject({ status: "completed", progress: 2, total: 2 });
    expect(await effects()).toEqual(["call work", "step 1", "step 2"]);
  });

  it("is never made a second time when its server dies and says nothing of its tool", async () => {
    const ended = await call("work", { dieAt: 2 });
    expect(resultOf(ended)).toMatchObject({ isError: true, structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
    expect(JSON.stringify(resultOf(ended))).toContain("It had reported 1 of 3, step 1.");
    expect(JSON.stringify(resultOf(ended))).toContain("The server ended (SIGKILL). The server was lost");
    expect(await effects()).toEqual(["call work", "step 1", "died"]);
  });

  it("is not made again because of an annotation that its user does not trust", async () => {
    const ended = await call("safe", { dieAt: 2 });
    expect(resultOf(ended)).toMatchObject({ structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
  });

  it.each([
    ["its annotation is trusted", "safe", { trustAnnotations: true }],
    ["its user says so", "work", { repeat: { work: "always" } }],
  ] as const)("is made again where %s, and its result says so", async (_why, tool, options) => {
    const ended = await call(tool, { dieAt: 2 }, options);
    expect(resultOf(ended)).toMatchObject({
      content: [{ text: "done" }, { text: expect.stringContaining("made again") }],
      _meta: { "resumable-mcp/repeated": true },
    });
    expect(await effects()).toEqual([`call ${tool}`, "step 1", "died", `call ${tool}`, "step 1", "step 2", "step 3"]);
  });

  it("is not made again where its user forbids it", async () => {
    const ended = await call("safe", { dieAt: 2 }, { trustAnnotations: true, repeat: { safe: "never" } });
    expect(resultOf(ended)).toMatchObject({ structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
  });

  it("continues from its last checkpoint, and what was produced before stands in its result", async () => {
    const ended = await call("saved", { dieAt: 3 });
    expect(await effects()).toEqual(["call saved", "step 1", "step 2", "died", "call saved", "step 3"]);
    expect(resultOf(ended).content).toEqual(
      ["part 1", "part 2", "part 3", "done"].map((text) => ({ type: "text", text })),
    );
  });

  it("answers a ping of its server only when the checkpoint before it is durable", async () => {
    const { tasks } = await open();
    const { record } = await tasks.start({ tool: "saved", input: { steps: 20 } });
    const seen: string[] = [];
    for await (const followed of tasks.follow(record.id)) {
      if (followed.kind !== "event" || followed.event.type !== "checkpoint") continue;
      const done = (await effects()).filter((line) => line.startsWith("step ")).length;
      seen.push(`${followed.event.progress} of ${followed.event.total}`);
      // The next step may have begun, and no later one.
      expect(done).toBeGreaterThanOrEqual(Number(followed.event.progress));
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 1} of 20`));
  });

  it("asks its user once, also where it is made again", async () => {
    const { tasks } = await open({ trustAnnotations: true });
    const { record } = await tasks.start({ tool: "ask", input: { dieAt: 1 } });
    const { questions } = await tasks.wait(record.id);
    expect(questions).toMatchObject([{ question: { message: "Who are you?" } }]);
    await tasks.answer(record.id, questions[0]?.key ?? "", { action: "accept", content: { name: "Ada" } });
    const ended = await tasks.wait(record.id);
    expect(resultOf(ended).content).toMatchObject([{ text: "done Ada" }, {}]);
    expect((await effects()).filter((line) => line === "call ask")).toHaveLength(2);
  });

  it("tells its server when its caller cancels it, and the same call is a new one then", async () => {
    const { tasks } = await open();
    const { record } = await tasks.start({ tool: "hang", input: {} });
    const leave = tasks.addWaiter(record.id);
    await expect.poll(effects).toContain("call hang");
    leave("cancelled");
    await expect.poll(async () => (await tasks.get(record.id)).status).toBe("cancelled");
    await expect.poll(effects).toContain("cancelled");
    const again = await tasks.start({ tool: "hang", input: {} });
    expect(again.created).toBe(true);
    await tasks.cancel(again.record.id);
  });

  it("passes everything else through", async () => {
    const { definition } = await open();
    const signal = new AbortController().signal;
    expect(await definition.upstream?.ask({ owner, era: "2026", method: "prompts/list", params: {}, signal })).toEqual({
      result: { prompts: [{ name: "mine" }] },
    });
  });
});

describe("a server that does what it should not", () => {
  const textOf = (view: TaskView) => JSON.stringify(view.record.output ?? view.record.error);

  it("may flood with progress: its call ends, its journal has only what was committed, and another call ends", async () => {
    const { tasks } = await open();
    const { record: other } = await tasks.start({ tool: "work", input: { steps: 3, holdAt: 2 } });
    await expect.poll(effects).toContain("step 1");
    const { record } = await tasks.start({ tool: "flood", input: {} });
    await expect.poll(effects).toContain("call flood");
    await writeFile(join(folder, "effects.go"), "");
    expect(textOf(await tasks.wait(other.id))).toContain("done");
    const ended = await tasks.wait(record.id);
    expect(textOf(ended)).toContain("flooded");
    expect(ended.record.progress).toBe(20_000);
    expect(ended.record.lastSeq).toBeLessThan(20_000);
  });

  it("may write what is not a message: the call ends as if it had not, and one sentence says so", async () => {
    const notes: string[] = [];
    const ended = await call("garbage", {}, { onNote: (sentence) => notes.push(sentence) });
    expect(textOf(ended)).toContain("after garbage");
    expect(notes).toEqual(["The server wrote a line that is not a message: not a message"]);
  });

  it.each(["huge", "huge-last"])(
    "gives an answer that is too long (%s): its call alone ends with the limit, and is not made again",
    async (tool) => {
      lowerLimit("maxLineBytes", 2 ** 20);
      const { tasks } = await open({ repeat: { [tool]: "always" } });
      const { record: other } = await tasks.start({ tool: "work", input: { steps: 3, holdAt: 2 } });
      await expect.poll(effects).toContain("step 1");
      const { record } = await tasks.start({ tool, input: {} });
      expect(textOf(await tasks.wait(record.id))).toContain("longer than maxLineBytes = 1048576");
      await writeFile(join(folder, "effects.go"), "");
      expect(textOf(await tasks.wait(other.id))).toContain("done");
      expect((await effects()).filter((line) => line === `call ${tool}`)).toHaveLength(1);
    },
  );

  it("is stopped where a message that is too long is of no call, and the next call has another", async () => {
    lowerLimit("maxLineBytes", 2 ** 20);
    const { tasks } = await open();
    const started = await tasks.start({ tool: "huge-note", input: {} });
    const ended = textOf(await tasks.wait(started.record.id));
    expect(ended).toContain("OUTCOME_UNKNOWN");
    expect(ended).toContain("The server was stopped: A line is longer than maxLineBytes = 1048576.");
    const next = await tasks.start({ tool: "work", input: { steps: 1 } });
    expect(textOf(await tasks.wait(next.record.id))).toContain("done");
  });

  it("gives a result that is too large to keep: its call ends with the limit, and is not made again for that", async () => {
    lowerLimit("maxOutputBytes", 2 ** 20);
    const ended = await call("large", {});
    expect(resultOf(ended)).toMatchObject({ isError: true, structuredContent: { error: { code: "LIMIT_EXCEEDED" } } });
    expect(textOf(ended)).toContain("maxOutputBytes");
  });

  it("leaves no process behind when it ignores SIGTERM and starts others", async () => {
    const { definition, tasks } = await open();
    const { record } = await tasks.start({ tool: "child", input: {} });
    await tasks.wait(record.id);
    const pid = Number((await effects()).find((line) => line.startsWith("child "))?.split(" ")[1]);
    await definition.upstream?.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("may take away the tool that is called, and list another: the call ends with its result", async () => {
    const { definition, engine, tasks } = await open();
    const { record } = await tasks.start({ tool: "rename", input: {} });
    expect(textOf(await tasks.wait(record.id))).toContain("renamed");
    const names = engine.tools.map(({ name }) => name);
    expect([names.includes("renamed"), names.includes("rename")]).toEqual([true, false]);
    expect(definition.upstream?.tools.map(({ name }) => name)).toEqual(names);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("says why it has no tools where its server has never started, and not that there was a last list", async () => {
  const notes: string[] = [];
  const { definition } = await open({ args: [join(folder, "none.js")], onNote: (text) => notes.push(text) });
  expect(definition.upstream?.notStarted).toBe("The server ended (exit code 1).");
  await expect.poll(() => notes).toContain("It has not started before: it has no tools until it does.");
  expect(notes.join(" ")).not.toContain("as they were last");
});

it("says what is wrong with a program that cannot be started", async () => {
  await expect(wrap({ command: "no-such-program" })).rejects.toThrow("The program no-such-program was not found.");
});
