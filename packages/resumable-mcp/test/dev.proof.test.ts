import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { openClient } from "@resumable-mcp/client";
import { expect, onTestFinished, test } from "vitest";
import { createFsStore } from "../src/index.js";
import { projectFolder, start } from "./program.js";

/** Counts to 20 in TypeScript; at 5, 10 and 15 it commits checkpoints until a file of that name is there. */
const tools = (code: string) => `
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "resumable-mcp";
import { z } from "zod";
enum Code { name = ${JSON.stringify(code)} }

export default [
  defineTool({
    name: "count",
    description: "Counts to 20.",
    input: z.object({}),
    output: z.object({ counted: z.number() }),
    item: z.object({ at: z.number(), code: z.string() }),
    state: { at: 0 },
    async *run(_input: object, task) {
      for (let at = task.state.at + 1; at <= 20; at++) {
        yield { progress: at, total: 20, state: { at }, append: [{ at, code: Code.name }], message: "at " + at };
        while (at % 5 === 0 && at < 20 && !existsSync(String(at))) {
          await sleep(10, undefined, { signal: task.signal });
          yield { progress: at, total: 20, state: { at } };
        }
      }
      return { counted: 20 };
    },
  }),
];
`;

/** Asks for a new connection again and again. Gives what else than an answer came. */
function askWithoutPause(url: string): () => Promise<{ readonly asked: number; readonly errors: readonly string[] }> {
  const errors: string[] = [];
  let asked = 0;
  let isOver = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      asked += 1;
      const request = get(url, { agent: false }, (response) => response.resume().once("end", resolve));
      request.once("error", ({ message }) => {
        errors.push(message);
        resolve();
      });
    });
  const asking = (async () => {
    while (!isOver) await ask();
  })();
  return async () => {
    isOver = true;
    await asking;
    return { asked, errors };
  };
}

test("dev reloads a module in the middle of a task, whose result is complete; broken code changes nothing (G1, G2)", async () => {
  const folder = await projectFolder();
  const edit = (text: string) => writeFile(join(folder, "tools.ts"), text);
  await edit(tools("one"));
  const dev = start(["dev", "./tools.ts", "--port", "0"], folder);
  const [, url = ""] = await dev.seen(
    /Reloads when a file changes\. To connect:\n {2}npx resumable-mcp --url (\S+) tools/,
  );
  const stopAsking = askWithoutPause(new URL("/readyz", url).href);
  const client = await openClient({ servers: [{ url }], stateFile: join(folder, "client.json") });
  onTestFinished(() => client.close());
  const call = await client.call("count", {});
  const seen: number[] = [];
  const change = async (gate: number, text: string, said: RegExp) => {
    await edit(text);
    await dev.seen(said);
    await writeFile(join(folder, String(gate)), "");
  };
  const followed = (async () => {
    for await (const event of call.events()) {
      if (event.type !== "progress") continue;
      seen.push(event.progress);
      if (event.progress === 5 && !existsSync(join(folder, "5")))
        await change(5, tools("two"), /tools\.ts changed: reloaded/);
      if (event.progress === 10 && !existsSync(join(folder, "10")))
        await change(
          10,
          `${tools("broken")}\nexport const broken: = 1;\n`,
          /tools\.ts:\d+\S*\)\n(?:.*\n)*tools\.ts changed: the previous code continues to serve/,
        );
      if (event.progress === 15 && !existsSync(join(folder, "15")))
        await change(15, tools("three"), /tools\.ts changed: reloaded/);
    }
  })();
  expect(JSON.parse((await call.result()).text)).toEqual({ counted: 20 });
  await followed;
  expect(seen.at(-1)).toBe(20);
  const { asked, errors } = await stopAsking();
  expect(errors).toEqual([]);
  expect(asked).toBeGreaterThan(10);
  await client.close();
  expect(dev.output()).not.toContain("stopped by user");
  dev.child.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
  const printed = async (...args: readonly string[]) => {
    const program = start([...args, "--store", ".resumable-mcp", "--json"], folder);
    expect([await program.ended, program.output()]).toEqual([0, expect.stringMatching(/^\{/)]);
    return program.output();
  };
  const store = async (...args: readonly string[]) => JSON.parse(await printed(...args));
  const { tasks } = await store("tasks", "--all");
  expect(tasks).toHaveLength(1);
  const { status, record } = await store("show", tasks[0].task_id);
  expect({ status, crashes: record.crashes }).toEqual({ status: "completed", crashes: 0 });
  const codeAt = (at: number) => (at <= 5 ? "one" : at <= 15 ? "two" : "three");
  const expected = Array.from({ length: 20 }, (_, index) => ({ at: index + 1, code: codeAt(index + 1) }));
  expect(
    (await printed("items", tasks[0].task_id))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(expected);
});

/** Says that it is loaded; then walks without end, or ends its process. */
const walking = (beginning = "") => `
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "resumable-mcp";
import { z } from "zod";
appendFileSync("loads", process.pid + "\\n");
${beginning}
const input = z.object({});
export default [
  defineTool({ name: "walk", description: "Walks.", input, async *run() { for (let at = 1; ; at++) { await sleep(200); yield { progress: at }; } } }),
  defineTool({ name: "fall", description: "Falls.", input, async run() { process.kill(process.pid, "SIGKILL"); } }),
];
`;

test("dev serves on its port after a fall, gets past code that never loads, and lets tasks stop at Ctrl-C (G12)", async () => {
  const folder = await projectFolder();
  const edit = (text: string) => writeFile(join(folder, "tools.mjs"), text);
  const loads = async () => (await readFile(join(folder, "loads"), "utf8")).trim().split("\n").length;
  await edit(walking());
  const dev = start(["dev", "./tools.mjs", "--port", "0"], folder);
  const [, url = ""] = await dev.seen(/npx resumable-mcp --url (\S+) tools\n/);
  await dev.seen(/claude mcp add --transport http tools /);
  expect(await loads()).toBe(1);
  const client = await openClient({ servers: [{ url }], stateFile: join(folder, "client.json") });
  onTestFinished(() => client.close());
  void client.call("fall", {}).catch(() => {});
  await dev.seen(/The server ended \(SIGKILL\), and is started again\./);
  expect((await dev.seen(/listening on (\S+)/))[1]).toBe(url);
  await edit(walking("await new Promise(() => setInterval(() => {}, 1000));"));
  await expect.poll(loads).toBe(3);
  await edit(walking());
  await dev.seen(/tools\.mjs changed: the previous code continues to serve\.\n[\s\S]*tools\.mjs changed: reloaded\./);
  const events = (await client.call("walk", {})).events();
  for (let next = await events.next(); next.done !== true && next.value.type !== "progress"; )
    next = await events.next();
  process.kill(-(dev.child.pid ?? 0), "SIGINT");
  expect(await dev.ended).toBe(0);
  const { tasks } = await createFsStore({ directory: join(folder, ".resumable-mcp") }).listTasks({ limit: 10 });
  const walked = tasks.find(({ tool }) => tool === "walk");
  const task = await createFsStore({ directory: join(folder, ".resumable-mcp") }).getTask(walked?.id ?? "");
  expect(task?.record).toMatchObject({ crashes: 0, live: false });
});
