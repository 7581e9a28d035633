import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { WrapOptions } from "../src/index.js";
import { openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("raw-server.js", import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrap-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
});

const effects = async () => (await readFile(join(folder, "effects"), "utf8")).trim().split("\n");
const resultOf = ({ record }: TaskView): JsonObject => Object(Object(record.output).result);

/** The gateway, as it is started each time. */
const open = (options: Partial<WrapOptions>) =>
  openWrapped(
    { command: "node", args: [program, join(folder, "effects")], ...options },
    {
      store: createFsStore({ directory: join(folder, "store") }),
      limits: { graceMs: 1, heartbeatMs: 50, recoverAfterMs: 0 },
    },
  );

/** A gateway that ends while it makes a call; then another, with other options. */
async function callAndRestart(tool: string, before: Partial<WrapOptions>, after: Partial<WrapOptions>) {
  const first = await open(before);
  const { record } = await first.tasks.start({ tool, input: { steps: 3, holdAt: 2 } });
  await expect.poll(async () => (await first.tasks.get(record.id)).record.progress).toBe(1);
  await first.close();
  await writeFile(join(folder, "effects.go"), "");
  const { engine, tasks } = await open(after);
  await engine.open();
  const ended = await tasks.wait(record.id);
  return { result: resultOf(ended), calls: (await effects()).filter((line) => line === `call ${tool}`).length };
}

describe("a call that a gateway had made when it ended", () => {
  it("is made again by one that may, though that one before might not, and says so", async () => {
    const { result, calls } = await callAndRestart("work", {}, { repeat: { work: "always" } });
    expect(result).toMatchObject({
      content: [{ text: "done" }, { text: expect.stringContaining("was made again") }],
      _meta: { "resumable-mcp/repeated": true },
    });
    expect(calls).toBe(2);
  });

  it("is not made again by one that may not, though that one before might", async () => {
    const { result, calls } = await callAndRestart("safe", { trustAnnotations: true }, { repeat: { safe: "never" } });
    expect(result).toMatchObject({ structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
    expect(calls).toBe(1);
  });
});

describe("a call of a wrapped server that is asked to pause", () => {
  it("is refused where nothing is left to continue from, and ends as if it had not been asked", async () => {
    const { tasks } = await open({});
    const { record } = await tasks.start({ tool: "work", input: { steps: 3, holdAt: 2 } });
    await expect.poll(async () => (await tasks.get(record.id)).record.progress).toBe(1);
    await expect(tasks.pause(record.id)).rejects.toMatchObject({
      code: "ILLEGAL_TRANSITION",
      message: expect.stringContaining("Wait until it has finished, or cancel it."),
      details: { taskId: record.id, status: "running", wanted: "pause" },
    });
    await writeFile(join(folder, "effects.go"), "");
    expect(resultOf(await tasks.wait(record.id))).toMatchObject({ content: [{ text: "done" }] });
    expect(await effects()).toEqual(["call work", "step 1", "step 2", "step 3"]);
  });

  it("is paused by its first checkpoint where the request came before that", async () => {
    const store = createFsStore({ directory: join(folder, "store") });
    const args = [program, join(folder, "effects")];
    const { engine, tasks } = await openWrapped({ command: "node", args }, { store });
    const { record } = await tasks.start({ tool: "saved", input: { steps: 3, holdAt: 1 } });
    await expect.poll(effects).toContain("call saved");
    // As another process leaves it, which does not know the tools.
    await store.signal(record.id, { kind: "pause" });
    await expect.poll(async () => (await tasks.get(record.id)).requested).toBe("pause");
    expect(engine.running).toEqual([record.id]);
    await writeFile(join(folder, "effects.go"), "");
    await expect.poll(async () => (await tasks.get(record.id)).status).toBe("paused");
    await tasks.resume(record.id);
    expect(JSON.stringify(resultOf(await tasks.wait(record.id)))).toContain("done");
    const steps = (await effects()).filter((line) => line.startsWith("step "));
    expect(new Set(steps)).toEqual(new Set(["step 1", "step 2", "step 3"]));
    expect(steps.filter((line) => line === "step 1")).toHaveLength(1);
  });

  it("tells its server that it is cancelled, and continues from its checkpoint", async () => {
    const { tasks } = await open({});
    const { record } = await tasks.start({ tool: "saved", input: { steps: 3, holdAt: 3 } });
    await expect.poll(async () => (await tasks.get(record.id)).record.progress).toBe(2);
    await tasks.pause(record.id);
    await expect.poll(async () => (await tasks.get(record.id)).status).toBe("paused");
    await expect.poll(effects).toContain("cancelled");
    await writeFile(join(folder, "effects.go"), "");
    await tasks.resume(record.id);
    expect(JSON.stringify(resultOf(await tasks.wait(record.id)))).toContain("done");
    expect((await effects()).filter((line) => line === "step 2")).toHaveLength(1);
  });
});

it("a call that had waited for its server is over when its caller cancels it, and the same call is a new one then", async () => {
  // It starts where the file is.
  const words = ['[ -e "$0" ] || exit 1; exec "$@"', join(folder, "up"), process.execPath, program];
  await writeFile(join(folder, "up"), "");
  const { tasks } = await open({ command: "sh", args: ["-c", ...words, join(folder, "effects")] });
  await rm(join(folder, "up"));
  const { record: last } = await tasks.start({ tool: "work", input: { dieAt: 1 } });
  await tasks.wait(last.id);
  const { record } = await tasks.start({ tool: "hang", input: {} });
  const leave = tasks.addWaiter(record.id);
  await expect.poll(async () => (await tasks.get(record.id)).record.message).toBe("waits for its server");
  await writeFile(join(folder, "up"), "");
  await expect.poll(effects, { timeout: 10_000 }).toContain("call hang");
  leave("cancelled");
  await expect.poll(async () => (await tasks.get(record.id)).status).toBe("cancelled");
  const again = await tasks.start({ tool: "hang", input: {} });
  expect(again.created).toBe(true);
  await tasks.cancel(again.record.id);
});
