import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { nameOf, type WrapOptions } from "../src/index.js";
import { shownNames } from "../src/upstream/shown-names.js";
import { openWrapped } from "./open-wrapped.js";

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const offering = (...args: string[]) => ({ command: "node", args: [pathOf("offering-server.js"), ...args] });
const outputOf = ({ record }: TaskView) => JSON.stringify(record.output ?? record.error);

it("a name that several servers list gets the name of each before it, and none is given twice", () => {
  const names = shownNames([
    { key: "a b", names: ["x", "y", "y", "a-b_x"] },
    { key: "c", names: ["x", "z"] },
  ]);
  expect(names.map((each) => Object.fromEntries(each))).toEqual([
    { x: "a-b_a-b_x", y: "y", "a-b_x": "a-b_x" },
    { x: "c_x", z: "z" },
  ]);
});

describe("several servers behind one gateway", () => {
  const open = async (options: Partial<WrapOptions> = {}) => {
    const opened = await openWrapped({
      servers: { one: offering("one", "Use one."), two: offering("two") },
      ...options,
    });
    const { upstream } = opened.definition;
    const signal = new AbortController().signal;
    const ask = async (method: string, params: JsonObject = {}) =>
      upstream?.ask({ owner: "local:test", era: "2025", method, params, signal });
    return { ...opened, ask };
  };

  it("list all tools, and each call is one of the server that has the tool", async () => {
    const { definition, tasks } = await open();
    expect(definition).toMatchObject({ instructions: "one:\nUse one.", prefix: "" });
    const called: Record<string, string> = {};
    for (const { name, mirrors } of definition.tools) {
      expect(mirrors).toEqual({ name, inputSchema: { type: "object" } });
      const { record } = await tasks.start({ tool: name, input: {} });
      called[name] = /(one|two): \w+/.exec(outputOf(await tasks.wait(record.id)))?.[0] ?? "";
    }
    expect(called).toEqual({
      ...{ one_one_read: "one: read", one_only: "one: one_only" },
      ...{ two_read: "two: read", two_only: "two: two_only", one_read: "two: one_read" },
    });
  });

  it("list all prompts and resources, of all pages; what two identify alike is listed once", async () => {
    const { ask } = await open();
    expect(await ask("prompts/list")).toEqual({
      result: { prompts: ["one_greet", "greet_one", "two_greet", "greet_two"].map((name) => ({ name })) },
    });
    const uris = ["one://first", "same://both", "one://last", "two://first", "two://last"];
    expect(await ask("resources/list")).toEqual({ result: { resources: uris.map((uri) => ({ uri, name: uri })) } });
    expect(await ask("resources/templates/list")).toMatchObject({
      result: { resourceTemplates: [{ uriTemplate: "one://item/{id}" }, { uriTemplate: "two://item/{id}" }] },
    });
  });

  it("answer what one of them listed by that one, and have no prompt that none lists", async () => {
    const { ask } = await open();
    const answers: readonly (readonly [method: string, params: JsonObject, answer: string])[] = [
      ["prompts/get", { name: "two_greet" }, "two: greet"],
      ["resources/read", { uri: "two://last" }, "two: two://last"],
      ["resources/read", { uri: "same://both" }, "one: same://both"],
      ["resources/read", { uri: "two://item/7" }, "two: two://item/7"],
      ["resources/read", { uri: "hidden:7" }, "two: hidden:7"],
      [
        "completion/complete",
        { ref: { type: "ref/prompt", name: "two_greet" } },
        'two: {"type":"ref/prompt","name":"greet"}',
      ],
      ["completion/complete", { ref: { type: "ref/resource", uri: "two://item/{id}" } }, "two://item/{id}"],
    ];
    for (const [method, params, answer] of answers) {
      const response = await ask(method, params);
      expect(JSON.stringify(response).replaceAll("\\", ""), method).toContain(answer);
    }
    expect(await ask("prompts/get", { name: "greet" })).toMatchObject({ error: { code: -32_602 } });
  });

  it("are not listed again for each read, but after a change", async () => {
    const { ask } = await open();
    const read = async (uri: string) => JSON.stringify(await ask("resources/read", { uri }));
    // A list has three pages.
    for (let count = 0; count < 3; count += 1) expect(await read("two://last")).toContain("two: two://last");
    expect(await read("hidden:count")).toContain("listed 3");
    await read("hidden:change");
    await expect.poll(() => read("hidden:count")).toContain("listed 6");
    await ask("resources/list");
    expect(await read("hidden:count")).toContain("listed 9");
  });

  it("hear of a subscription at the server that has the resource, and of a level all", async () => {
    const { ask, definition } = await open();
    const heard: unknown[] = [];
    const { signal } = new AbortController();
    const subscription = { owner: "local:test", era: "2025", uri: "two://first", signal } as const;
    await definition.upstream?.subscribe({ ...subscription, updated: (uri) => heard.push(uri) });
    await expect.poll(() => heard).toEqual(["two://first/of-two"]);
    const levels: unknown[] = [];
    definition.upstream?.watch(({ params }) => levels.push(params.level));
    await ask("logging/setLevel", { level: "error" });
    await expect.poll(() => [...levels].sort()).toEqual(["one error", "two error"]);
  });

  it.each([
    ["was not found", { command: "no-such-program" }, "lost: The program no-such-program was not found."],
    ["takes no connection", { url: "http://127.0.0.1:1/mcp" }, "lost: The server could not be reached"],
  ])("are there without one that %s, which the log names", { timeout: 30_000 }, async (_how, lost, sentence) => {
    const notes: string[] = [];
    const { ask, definition, tasks } = await open({
      servers: { lost, one: offering("one") },
      onNote: (note) => notes.push(note),
    });
    expect(definition.tools.map(({ name }) => name)).toEqual(["read", "one_only"]);
    expect(notes.join()).toContain(sentence);
    const { record } = await tasks.start({ tool: "read", input: {} });
    expect(outputOf(await tasks.wait(record.id))).toContain("one: read");
    expect(await ask("prompts/list")).toMatchObject({
      result: { prompts: [{ name: "greet" }, { name: "greet_one" }] },
    });
  });
});

describe("calls of several servers", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "wrap-several-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  });

  const openStore = () => createFsStore({ directory: join(folder, "store") });
  const effects = async (key: string) => {
    const file = join(folder, key);
    return existsSync(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
  };
  const open = (options: Partial<WrapOptions> = {}) => {
    const raw = (key: string) => ({ command: "node", args: [pathOf("raw-server.js"), join(folder, key), "pids"] });
    return openWrapped({ servers: { one: raw("one"), two: raw("two") }, ...options });
  };

  it("are repeated by the names that callers see", async () => {
    const { tasks } = await open({ repeat: { two_work: "always", work: "always" } });
    const call = async (tool: string) => {
      const { record } = await tasks.start({ tool, input: { steps: 2, dieAt: 2 } });
      return outputOf(await tasks.wait(record.id));
    };
    expect(await call("one_work")).toContain("one_work may or may not have taken effect");
    expect(await call("two_work")).toContain("made again");
  });

  it("wait for their server where another has a tool of the name after a restart, and continue once theirs has it", async () => {
    const raw = (key: string) => ({ [key]: { command: "node", args: [pathOf("raw-server.js"), join(folder, key)] } });
    const limits = { versionWaitMs: 1, heartbeatMs: 50, recoverAfterMs: 0 };
    const restart = (key: string) => openWrapped({ servers: raw(key) }, { store: openStore(), limits });
    const first = await restart("one");
    const { record } = await first.tasks.start({ tool: "saved", input: { steps: 3, holdAt: 3 } });
    await expect.poll(() => effects("one")).toContain("step 2");
    await first.close();
    await writeFile(join(folder, "one.go"), "");
    const other = await restart("two");
    await other.engine.open();
    await expect
      .poll(async () => (await other.tasks.get(record.id)).record.message)
      .toContain("it needs version 1-one of saved, and version 1-two");
    expect(await effects("two")).toEqual([]);
    await other.close();
    const { engine, tasks } = await restart("one");
    await engine.open();
    expect(outputOf(await tasks.wait(record.id))).toContain("done");
    const done = (await effects("one")).filter((line) => line !== "cancelled");
    expect(done).toEqual(["call saved", "step 1", "step 2", "call saved", "step 3"]);
  });

  it("find the tools of a server that is away under the names that they had before a restart", async () => {
    const program = join(folder, "two.sh");
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${pathOf("offering-server.js")}' two\n`);
    await chmod(program, 0o755);
    const servers = { one: offering("one"), two: { command: program } };
    const first = await openWrapped({ servers }, { store: openStore() });
    const { record } = await first.tasks.start({ tool: "one_only", input: {} });
    await first.tasks.wait(record.id);
    const names = first.engine.tools.map(({ name }) => name);
    for (const [key, server] of Object.entries(servers))
      await expect.poll(() => first.engine.documents.getDocument("upstream", nameOf(server, key))).toBeDefined();
    await first.close();
    await rm(program);
    const { definition, engine, tasks } = await openWrapped({ servers }, { store: openStore() });
    expect(definition.tools.map(({ name }) => name)).toEqual(["read", "one_only"]);
    await expect.poll(() => engine.tools.map(({ name }) => name)).toEqual(names);
    const call = async (tool: string) => {
      const { record } = await tasks.start({ tool, input: {} });
      return outputOf(await tasks.wait(record.id));
    };
    expect(await call("two_read")).toContain("The server of two_read is not there. The program");
    expect(await call("one_one_read")).toContain("one: read");
  });

  it("of one end when the other is killed while both work: what the other had said counts for it alone", async () => {
    const { tasks } = await open();
    const start = async (tool: string) => {
      const { record } = await tasks.start({ tool, input: { id: tool, steps: 3, holdAt: 2 } });
      return tasks.wait(record.id);
    };
    const ended = ["one_work", "one_saved", "two_work", "two_saved"].map(start);
    for (const key of ["one", "two"])
      for (const tool of ["work", "saved"])
        await expect.poll(() => effects(key)).toContain(`committed ${tool} ${key}_${tool} 1`);
    const [, pid] = (await effects("one")).find((line) => line.startsWith("pid "))?.split(" ") ?? [];
    process.kill(Number(pid), "SIGKILL");
    for (const key of ["one", "two"]) await writeFile(join(folder, `${key}.go`), "");
    const outputs = (await Promise.all(ended)).map(outputOf);
    expect(outputs).toEqual([
      expect.stringContaining("OUTCOME_UNKNOWN"),
      ...["one_saved", "two_work", "two_saved"].map((tool) => expect.stringContaining(`done ${tool}`)),
    ]);
    const steps = async (key: string) => (await effects(key)).filter((line) => /^step \w+ /.test(line)).sort();
    const stepsOf = (tool: string, key: string, count: number) =>
      Array.from({ length: count }, (_, index) => `step ${tool} ${key}_${tool} ${index + 1}`);
    expect(await steps("one")).toEqual([...stepsOf("saved", "one", 3), ...stepsOf("work", "one", 1)]);
    expect(await steps("two")).toEqual([...stepsOf("saved", "two", 3), ...stepsOf("work", "two", 3)]);
  });
});
