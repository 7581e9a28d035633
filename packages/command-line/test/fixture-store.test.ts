import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineTool, type Store, type TaskRecord } from "@resumable-mcp/core";
import { createHost, type Host } from "@resumable-mcp/store-fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { emptyFolder, newTask, now, openStore } from "../../store-fs/test/scene.js";
import { everything, json, run, runWith } from "./command-line.js";

/** What the store held when it was written, by `make-store.js` next to it. */
interface Expected {
  readonly tasks: { readonly [name: string]: { readonly record: TaskRecord } };
  readonly session: unknown;
}

const fixtures = join(import.meta.dirname, "../../store-fs/test/fixtures");
const expected: Expected = JSON.parse(readFileSync(join(fixtures, "store.expected.json"), "utf8"));
const unfinished = ["running", "long", "paused", "asking", "answered", "unwanted", "waiting"];

/** The processes that wrote the fixture are dead. */
const host: Host = {
  ...createHost(),
  processState: (other) => (other.host === "fixture.example.com" ? "dead" : "alive"),
};

function copy(): string {
  const directory = emptyFolder();
  cpSync(join(fixtures, "store"), directory, { recursive: true });
  return directory;
}

async function tell(store: Store, id: string) {
  const { record, signals } = (await store.getTask(id)) ?? {};
  const { snapshot, events } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
  const { items } = await store.readItems(id, { after: 0, limit: 1_000 });
  return { record, signals, ...(snapshot && { snapshot }), events, items };
}

const idOf = (name: string) => expected.tasks[name]?.record.id ?? "";

const tools = [
  defineTool({
    name: "count_to",
    description: "Counts to a number.",
    input: z.object({ n: z.number() }),
    state: { at: 0, filling: "" },
    async *run({ n }, task) {
      for (let { at } = task.state; at < n; at += 1) {
        yield { progress: at + 1, total: n, state: { at: at + 1, filling: "" }, append: [at + 1] };
      }
      return { counted: n };
    },
  }),
  defineTool({
    name: "ask_name",
    description: "Asks for a name.",
    input: z.object({}),
    async *run(_input, task) {
      const answer = await task.ask("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
      yield { progress: 1, total: 1 };
      return answer.action === "accept" ? answer.content.name : answer.action;
    },
  }),
];

describe("a store that this layout's first version wrote, and that was killed", () => {
  test("gives of each task what it gave then", async () => {
    const store = openStore(copy(), { host });
    for (const [name, then] of Object.entries(expected.tasks)) {
      expect(await tell(store, then.record.id), name).toEqual(then);
    }
    expect(await store.getDocument("session", "session-1")).toEqual(expected.session);
    const ids = Object.keys(expected.tasks).map(idOf);
    expect((await store.listTasks({ limit: 100 })).tasks.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect((await store.countTasks({})).total).toBe(ids.length);
  });

  test("holds a task that was compacted, and one whose journal was extended", () => {
    expect(expected).toMatchObject({ tasks: { long: { snapshot: { id: idOf("long") } } } });
    const files = everything(join(fixtures, "store")).split("\n");
    const zeros = files.filter((file) => Buffer.from(file.split(": ")[1] ?? "", "base64").includes(0));
    expect(zeros.length).toBeGreaterThan(0);
  });

  test("is sound for fsck, which changes nothing", async () => {
    const directory = copy();
    const before = everything(directory);
    const check = await json("check", "--store", directory);
    expect(check).toMatchObject({ code: 0, value: { tasks: Object.keys(expected.tasks).length } });
    expect(everything(directory)).toBe(before);
  });

  test("joins each call to its task", async () => {
    const store = openStore(copy(), { host });
    for (const name of unfinished) {
      const task = newTask("another", { owner: "client:fixture", key: `call of ${name}` });
      const { snapshot, created } = await store.createTask({ task, reuseResultMs: 0, now });
      expect([created, snapshot.record.id]).toEqual([false, idOf(name)]);
    }
  });

  test("lets every unfinished task go on from its last checkpoint to its end (G2)", async () => {
    const store = openStore(copy(), { host });
    const engine = createEngine({ store, tools });
    await engine.open();
    const tasks = engine.forOwner("client:fixture");
    await tasks.resume(idOf("paused"));
    await tasks.answer(idOf("asking"), "name", { action: "accept", content: { name: "Grace" } });
    const ended = async (name: string) => {
      const { record } = await tasks.wait(idOf(name));
      return [name, record.status, record.output ?? null, (await tasks.items(idOf(name), { limit: 100 })).items];
    };
    const counted = (n: number) => [{ counted: n }, Array.from({ length: n }, (_, index) => index + 1)];
    expect(await Promise.all(unfinished.map(ended))).toEqual([
      ["running", "completed", ...counted(12)],
      ["long", "completed", ...counted(70)],
      ["paused", "completed", ...counted(6)],
      ["asking", "completed", "Grace", []],
      ["answered", "completed", "Ada", []],
      ["unwanted", "cancelled", null, []],
      ["waiting", "completed", ...counted(7)],
    ]);
    await engine.close();
  });
});

test("a store of a newer layout is refused with a clear sentence by every program, and untouched", async () => {
  const directory = copy();
  writeFileSync(join(directory, "format.json"), '{"layout":4,"writtenBy":"a later version"}');
  const before = everything(directory);
  const engine = createEngine({ store: openStore(directory, { host }), tools });
  const sentence = expect.stringMatching(/says layout 4, and this version reads layout 3\. Nothing was changed\. Use /);
  const refusal = { code: "STORE_LAYOUT", message: sentence, details: { found: "4", supported: "3" } };
  await expect(engine.forOwner("client:fixture").get(idOf("running"))).rejects.toMatchObject(refusal);
  await engine.close();
  const ofTask = ["show", "pause", "resume", "cancel", "export"].map((command) => [command, idOf("running")]);
  for (const command of [["check"], ["stats"], ["tasks"], ["repair", "--apply"], ...ofTask]) {
    const refused = await run(...command, "--store", directory);
    expect([command, refused.code, refused.errors]).toEqual([command, 1, expect.stringContaining("STORE_LAYOUT")]);
  }
  expect((await runWith([Buffer.from("{}\n")], "import", "-", "--store", directory)).code).toBe(1);
  expect(everything(directory)).toBe(before);
});
