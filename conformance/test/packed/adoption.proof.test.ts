import { once } from "node:events";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, describe, expect, inject, test, vi } from "vitest";
import { openProject } from "../../src/packed-project.js";
import { published } from "../../src/repository.js";
import { commandsOf, examplesIn, fileExamples } from "../readme-examples.js";
import { compile } from "./compile.js";
import { progressUntil } from "./progress-of-call.js";
import { connectHttp, connectStdio, endAll, killChildOf, pasteExamples, serveExample } from "./served-example.js";
import { twoVersions } from "./two-versions.js";
import { allEventsOf, eventsOf, postCall, resumeStream, task2026 } from "./wire.js";

const exampleTimeoutMs = 240_000;
const limits = { timeout: exampleTimeoutMs };
const waiting = { timeout: exampleTimeoutMs, interval: 50 };

const project = openProject(inject("projectDirectory"));
afterAll(endAll, exampleTimeoutMs);

const countToFour = { name: "count_to", arguments: { n: 4 } };
/** Long enough to be looked at on a slow machine before it ends. */
const countToSix = { name: "count_to", arguments: { n: 6 } };
const counted = { structuredContent: { counted: 4 } };

describe.concurrent("killed in mid-call and started again, the example of", () => {
  test("createSessionHandler answers the same call of the same client, without gap or repeat", limits, async () => {
    const server = await serveExample(project, "packages/mcp", "server.mjs");
    const client = await connectHttp(server.url);
    const { seen, onprogress, acted } = progressUntil(client, 2, server.killAndRestart);
    expect(await client.callTool(countToFour, undefined, { onprogress })).toMatchObject(counted);
    await acted();
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  test("registerTools on stdio loses the call and not the task: the same call joins it", limits, async () => {
    const folder = await pasteExamples(project, "packages/mcp", ["tools.mjs", "stdio.mjs"]);
    const first = await connectStdio(folder, process.execPath, "stdio.mjs");
    const before = progressUntil(first.client, 2, async () => void process.kill(first.pid, "SIGKILL"));
    await expect(first.client.callTool(countToFour, undefined, before)).rejects.toThrow(/closed/);
    expect(before.seen).toEqual([1, 2]);
    const { client } = await connectStdio(folder, process.execPath, "stdio.mjs");
    const after = progressUntil(client, 4, async () => {});
    expect(await client.callTool(countToFour, undefined, after)).toMatchObject(counted);
    expect(after.seen).toEqual([2, 3, 4]);
  });

  test("registerTools under the supervisor keeps the call too, without gap or repeat", limits, async () => {
    const folder = await pasteExamples(project, "packages/mcp", ["tools.mjs", "stdio.mjs"]);
    const command = ["--command", `${process.execPath} stdio.mjs`];
    const { client, pid } = await connectStdio(folder, project.bin("resumable-mcp-stdio"), ...command);
    const { seen, onprogress, acted } = progressUntil(client, 2, () => killChildOf(pid));
    expect(await client.callTool(countToFour, undefined, { onprogress })).toMatchObject(counted);
    await acted();
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  test(
    "the supervisor around a foreign server: a read-only tool runs again, its caller sees one call",
    limits,
    async () => {
      const folder = await pasteExamples(project, "packages/server-stdio", ["my-server.mjs"]);
      const [program, ...args] = supervisorCommand();
      const { client, pid, stderr } = await connectStdio(folder, project.bin(program), ...args);
      const result = client.callTool({ name: "add", arguments: { numbers: [1, 2, 39] } });
      if (stderr !== null) await once(stderr, "data");
      await killChildOf(pid);
      expect(await result).toMatchObject({ content: [{ type: "text", text: "42" }] });
    },
  );

  test("wrap from code: a wrapped server that is killed in a read-only call is called again", limits, async () => {
    const folder = await pasteExamples(project, "packages/wrap", ["gateway.mjs"]);
    const server = fileExamples("packages/server-stdio").get("my-server.mjs") ?? "";
    await folder.write(
      "my-server.mjs",
      server.replace('console.error("adding")', 'console.error("adding", process.pid)'),
    );
    const { client, stderr } = await connectStdio(folder, process.execPath, "gateway.mjs");
    const result = client.callTool({ name: "add", arguments: { numbers: [1, 2, 39] } });
    let said = "";
    stderr?.on("data", (chunk) => {
      said += String(chunk);
    });
    await vi.waitFor(() => expect(said).toMatch(/adding \d+\n/), waiting);
    process.kill(Number(/adding (\d+)/.exec(said)?.[1]), "SIGKILL");
    expect(await result).toMatchObject({ content: [{ text: "42" }, { text: expect.stringContaining("made again") }] });
  });

  test("withTasks continues by itself: tasks/get answers with the result", limits, async () => {
    const server = await serveExample(project, "packages/mcp", "server-2026.mjs");
    const created = await task2026(server.url, "tools/call", countToSix);
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    const get = () => task2026(server.url, "tasks/get", { taskId: created.taskId });
    await vi.waitFor(async () => expect((await get()).statusMessage).toMatch(/[1-3]\/6/), waiting);
    await server.killAndRestart();
    await vi.waitFor(async () => expect(await get()).toMatchObject({ status: "completed" }), waiting);
    expect(await get()).toMatchObject({ result: { structuredContent: { counted: 6 } } });
  });

  test("createEventStore: a client that resumes by Last-Event-ID misses nothing that was stored", limits, async () => {
    const server = await serveExample(project, "packages/mcp", "event-store.mjs");
    const whole = await allEventsOf(await postCall(server.url, { name: "count_to", arguments: { n: 3 } }));
    const [primed, first, ...rest] = whole;
    expect([primed, first, ...rest].map((event) => event?.shows)).toEqual(["", 1, 2, 3, { counted: 3 }]);
    await server.killAndRestart();
    const again = eventsOf(await resumeStream(server.url, first?.id));
    for (const expected of rest) expect((await again.next()).value).toEqual(expected);
  });

  test(
    "createEventStore: the stock client's stream comes back silent, and the same call joins its task",
    limits,
    async () => {
      const server = await serveExample(project, "packages/mcp", "event-store.mjs");
      const client = await connectHttp(server.url);
      const { seen, onprogress, acted } = progressUntil(client, 2, server.killAndRestart);
      const stop = new AbortController();
      const lost = client.callTool(countToFour, undefined, { onprogress, signal: stop.signal });
      const refused = expect(lost).rejects.toThrow("no answer comes");
      await vi.waitFor(() => expect(seen).toEqual([1, 2]), waiting);
      await acted();
      const after = progressUntil(client, 4, async () => {});
      expect(await client.callTool(countToFour, undefined, after)).toMatchObject(counted);
      expect(after.seen).toEqual([2, 3, 4]);
      expect(seen).toEqual([1, 2]);
      stop.abort("no answer comes");
      await refused;
    },
  );

  test("createTaskStore answers tasks/get, tasks/result and tasks/list of the same client", limits, async () => {
    const server = await serveExample(project, "packages/mcp", "task-store.mjs");
    const client = await connectHttp(server.url);
    const { tasks } = client.experimental;
    const call = { method: "tools/call" as const, params: { ...countToSix, task: {} } };
    const { taskId } = (await client.request(call, CreateTaskResultSchema)).task;
    await vi.waitFor(async () => expect((await tasks.getTask(taskId)).statusMessage).toMatch(/[1-3]\/6/), waiting);
    await server.killAndRestart();
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: "working" });
    expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
      structuredContent: { counted: 6 },
    });
    expect((await tasks.listTasks()).tasks).toMatchObject([{ taskId, status: "completed" }]);
    const other = await connectHttp(server.url);
    expect(await other.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: "completed" });
  });
});

test("every example that a README asks to be pasted has fewer than 20 lines of code", () => {
  const tooLong = published.flatMap((readme) =>
    [...fileExamples(readme)].filter(([, code]) => codeLines(code).length >= 20),
  );
  expect(tooLong).toEqual([]);
});

test("every example that a README asks to be pasted passes a strict compiler", limits, async () => {
  const names = [...fileExamples("packages/mcp").keys()];
  expect(names).toHaveLength(6);
  const folder = await pasteExamples(project, "packages/mcp", names);
  const [server = ""] = fileExamples("packages/server-stdio").values();
  await folder.write("my-server.mjs", server);
  await compile(folder, [...names, "my-server.mjs"], { allowJs: true, checkJs: true, noEmit: true });
});

test("registerTools serves servers of two versions of the SDK at once", limits, async () => {
  const folder = await pasteExamples(project, "packages/mcp", ["tools.mjs"]);
  await folder.write("two-versions.ts", twoVersions);
  await compile(folder, ["two-versions.ts"], { allowJs: true, outDir: "compiled" });
  const printed = await folder.run("node", "compiled/two-versions.js").succeeded();
  expect(printed).toBe('{"counted":1}\n{"counted":1}\n');
});

const codeLines = (code: string) => code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("//"));

function supervisorCommand(): readonly [string, ...string[]] {
  const commands = examplesIn("packages/server-stdio/README.md").flatMap(commandsOf);
  const [program = "", ...args] = commands.find((words) => words.includes("--command")) ?? [];
  return [program, ...args];
}
