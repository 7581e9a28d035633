import { expect, it } from "vitest";
import { type FakeWorld, fakeClient, fakeServer, fakeTask, fakeTool } from "../../../test/fake-client.js";
import { otherServer, rememberedTask, twoServers } from "../../../test/odd-texts.js";
import { createOutput } from "../output.js";
import { parseCommandLine } from "../parse-command-line.js";
import { callCommand } from "./call-command.js";
import { serverCommands } from "./server-commands.js";
import { taskCommands } from "./task-commands.js";

const commands = { ...taskCommands, ...serverCommands, call: callCommand };

/** Runs a command against two servers, one of which does not answer. */
async function run(command: keyof typeof commands, words: readonly string[] = [], more: Partial<FakeWorld> = {}) {
  const notes: string[] = [];
  const [out, said]: [string[], string[]] = [[], []];
  const summary = { activeTasks: [{ ...rememberedTask, last_message: "Processed 15" }] };
  const world = { tasks: [fakeTask("here")], servers: twoServers, silent: [otherServer], summary, said, ...more };
  const line = parseCommandLine([command, ...words], {});
  const output = createOutput({ write: (text) => out.push(text) }, { write: (text) => notes.push(text) }, line.json);
  const idle = { interrupts: { next: () => new Promise<never>(() => {}) }, onFollow: () => {}, clock: () => 0 };
  const code = await commands[command]({ client: fakeClient(world), line, output, ...idle });
  return { code, out: out.join(""), notes: notes.join(""), said };
}

const silent = "127.0.0.1:8002 does not answer: ";

it("tasks of a server that does not answer are listed as they were last seen, and the exit code tells", async () => {
  const { code, out, notes } = await run("tasks");
  expect(code).toBe(3);
  expect(out).toMatch(/^task-1 +count_words +~ out of reach .* 30% \(15\/50\) .* Processed 15$/m);
  expect(out).toMatch(/^here /m);
  expect(notes).toContain(`${silent}its unfinished tasks are shown as they were last seen.\n`);
});

it("tasks --json names the server, and says nothing of a status that is not known", async () => {
  const { code, out } = await run("tasks", ["--json"]);
  const { tasks, silent_servers } = JSON.parse(out);
  const known = tasks.find(({ task_id }: { task_id: string }) => task_id === "task-1");
  expect([code, silent_servers]).toEqual([3, [otherServer]]);
  expect(known).toMatchObject({ server: otherServer, remembered: true, progress: 15, total: 50 });
  expect(Object.keys(known)).not.toContain("status");
});

it.each([
  ["tasks", ["--status", "paused"], "its tasks are not listed."],
  ["tasks", ["--tool", "other"], "its tasks are not listed."],
  ["tasks", ["--all-owners"], "its tasks are not listed."],
  ["stats", [], "its tasks are not counted."],
  ["tools", [], "its tools are not listed."],
  ["watch", [], "its tasks are not followed."],
  ["cancel", ["--all"], "cancel leaves its tasks alone."],
] as const)("%s %j says what is missing of a server that does not answer", async (command, words, what) => {
  const { code, notes } = await run(command, words, { tasks: [] });
  expect([code, notes]).toEqual([3, expect.stringContaining(`${silent}${what}\n`)]);
});

it("a tool that may be of the server that does not answer is not said to be unknown", async () => {
  await expect(run("call", ["elsewhere"])).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
});

it("where no server has a tool, this is said in place of an empty list", async () => {
  const none = { tools: async () => [], silent: [] };
  await expect(run("call", ["echo"], none)).rejects.toThrow(/^No tool is named echo\. No server lists a tool\./);
  expect((await run("tools", [], none)).notes).toMatch(/^No server lists a tool\./);
});

it("servers that all answer are not spoken of", async () => {
  const { code, out, notes } = await run("stats", ["--json"], { silent: [] });
  expect([code, notes, JSON.parse(out)]).toEqual([
    0,
    "",
    expect.not.objectContaining({ silent_servers: expect.anything() }),
  ]);
});

it("answer says of a key that is none that it is none", async () => {
  const question = { key: "go", message: "Go?", schema: {}, userOnly: false };
  const tasks = [fakeTask("a", { server: fakeServer, status: "input_required", questions: [question] })];
  const asked = { tasks, silent: [] };
  await expect(run("answer", ["a", "gone", "by=me"], asked)).rejects.toThrow(
    /^gone is not an open question of this task\. Task a asks: go \("Go\?"\)\. Name one\.$/,
  );
});

it("a tool is called by its title, next to its name where that is typed", async () => {
  const title = "Count the words";
  const tool = fakeTool("count_words", { title, inputSchema: { type: "object" } });
  const stats = { server: fakeServer, counts: {}, total: 0, failedByTool: { count_words: 2, gone: 1 } };
  const events = async function* () {
    yield { type: "progress", progress: 1 } as const;
    yield { type: "status", status: "paused" } as const;
  };
  const world = {
    tasks: [fakeTask("a", { title })],
    tools: async () => [tool],
    stats: async () => [stats],
    ...{ silent: [], events },
  };
  expect((await run("tools", [], world)).out).toBe("count_words  Count the words: Counts the words of a file.\n");
  expect((await run("tools", ["count_words"], world)).out).toContain("count_words  Count the words: Counts the");
  const { notes } = await run("tasks", ["--all-owners"], world);
  expect(notes).toContain("Failed, by tool: Count the words 2, gone 1\n");
  for (const command of ["watch", "wait"] as const)
    expect(await run(command, ["a"], world)).toMatchObject({ code: 5, notes: expect.stringContaining("Paused.") });
  expect((await run("watch", ["a"], world)).notes).toMatch(/^Count the words ·/);
  expect(JSON.parse((await run("tasks", ["--json"], world)).out)).toMatchObject({
    tasks: [{ task_name: "count_words" }],
  });
});
