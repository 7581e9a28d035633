import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openClient } from "@resumable-mcp/client";
import { expect, onTestFinished, test } from "vitest";
import { findFile } from "../src/command-line/run-program.js";
import { taskSubcommands } from "../src/command-line/subcommands.js";
import { cli, projectFolder, start } from "./program.js";

test("help lists each command of the terminal client", async () => {
  const folder = await projectFolder();
  const program = findFile({ package: "@resumable-mcp/client-tui", bin: "resumable-mcp-client" });
  const client = start(["--help"], folder, program);
  expect(await client.ended).toBe(0);
  const listed = /\n\s*Commands\n([\s\S]*?)\n\n/.exec(client.output())?.[1] ?? "";
  const names = [...listed.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name);
  // The help of all commands is this program's own.
  expect(taskSubcommands.map(({ name }) => name)).toEqual(names.filter((name) => name !== "help"));
});

test("help names the commands that also act on a store, as the store's program does", async () => {
  const folder = await projectFolder();
  const store = start(["store", "--help"], folder);
  expect(await store.ended).toBe(0);
  const [, listed = ""] = /without the word store\n([\s\S]*?)\n\n/.exec(store.output()) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(taskSubcommands.flatMap(({ name, onStore }) => (onStore ? [name] : [])).toSorted());
});

test("each program answers by the one name: help, the version, and a wrong word", async () => {
  const folder = await projectFolder();
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const runs = [
    ["--version"],
    ["serve", "http", "--version"],
    ["serve", "stdio", "--version"],
    ["store", "--version"],
    ["call", "--version"],
  ].map((args) => start(args, folder));
  for (const run of runs) expect([await run.ended, run.output()]).toEqual([0, `${version}\n`]);
  const wrong = start(["sevre"], folder);
  expect([await wrong.ended, wrong.output()]).toEqual([
    2,
    expect.stringContaining("There is no command sevre. Did you mean"),
  ]);
  const answer = start(["answer", "id", "--store", "tasks", "--json"], folder);
  expect([await answer.ended, JSON.parse(answer.output())]).toEqual([
    2,
    { error: { code: "USAGE", message: expect.stringContaining("name the server: answer --url URL.") } },
  ]);
  const dev = start(["dev"], folder);
  expect([await dev.ended, dev.output()]).toEqual([2, expect.stringContaining("Name the tools module")]);
});

test("serve stdio supervises a server, which answers its host and runs a call to its end (G1)", async () => {
  const folder = await projectFolder();
  const tool = `{ name: "greet", description: "Greets.", input: z.object({}), run: async () => ({ said: "hello" }) }`;
  const module = join(folder, "tools.mjs");
  await writeFile(
    module,
    `import { defineTool } from "resumable-mcp";\nimport { z } from "zod";\nexport default [defineTool(${tool})];\n`,
  );
  const args = [cli, "serve", "stdio", module, "--store", join(folder, "store")];
  const server = { command: process.execPath, args };
  const client = await openClient({ servers: [server], stateFile: join(folder, "client.json") });
  onTestFinished(() => client.close());
  expect(JSON.parse((await (await client.call("greet", {})).result()).text)).toEqual({ said: "hello" });
});
