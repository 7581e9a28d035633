import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const polling = { interval: 250 };
const entry = fileURLToPath(import.meta.resolve("@resumable-mcp/command-line/package.json"));
const program = join(dirname(entry), "dist", "store", "cli.js");

/** Runs the store's program while the server runs. */
async function store(...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, "--json"]);
  return JSON.parse(stdout);
}

/** A server process with a task that counts, as far as its first checkpoint. */
async function counting(n: number) {
  const directory = await testFolder();
  const server = await startServer([toolsModule, "--port", "0", "--store", directory]);
  const { client } = await connectStock(server.url);
  const progress = new EventEmitter();
  const begun = once(progress, "progress");
  const onprogress = (news: { readonly progress: number }) => progress.emit("progress", news);
  const call = client.callTool({ name: "count_to", arguments: { n } }, undefined, { onprogress });
  await begun;
  const listed = (await store("tasks", "--store", directory, "--status", "running")) as {
    tasks: { task_id: string }[];
  };
  return { directory, client, call, id: listed.tasks[0]?.task_id ?? "", storeOf: ["--store", directory] };
}

describe("the store's program while a server runs", () => {
  test("pauses the server's task, shows it as paused, and lets it continue to its end", async () => {
    const { client, call, id, storeOf } = await counting(300);
    const ended = call.catch((error: unknown) => error);
    expect(await store("pause", id, ...storeOf)).toMatchObject({ tasks: [{ taskId: id, signal: "pause" }] });
    const shown = () => store("show", id, ...storeOf);
    await expect.poll(shown, polling).toMatchObject({ record: { status: "paused", live: false }, leased: false });
    const paused = (await shown()) as { record: { progress: number } };
    expect(await store("check", ...storeOf)).toMatchObject({ tasks: 1, problems: [] });
    expect(await client.callTool({ name: "get_task", arguments: { task_id: id } })).toMatchObject({
      structuredContent: { status: "paused", progress: paused.record.progress },
    });
    expect(await store("resume", id, ...storeOf)).toMatchObject({ tasks: [{ taskId: id, signal: "resume" }] });
    await expect.poll(shown, polling).toMatchObject({ status: "completed", record: { output: { counted: 300 } } });
    await ended;
  });

  test("cancels the server's task, whose caller hears of it", async () => {
    const { call, id, storeOf } = await counting(100_000);
    expect(await store("cancel", id, ...storeOf)).toMatchObject({ tasks: [{ taskId: id, signal: "cancel" }] });
    expect(await call).toMatchObject({ isError: true });
    expect(await store("show", id, ...storeOf)).toMatchObject({ status: "cancelled" });
    const over = store("pause", id, ...storeOf);
    await expect(over).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("ILLEGAL_TRANSITION") });
  });
});
