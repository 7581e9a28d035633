import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unpackExtension, validateManifest } from "@anthropic-ai/mcpb";
import { openClient } from "@resumable-mcp/client";
import { expect, onTestFinished, test } from "vitest";
import { makeManifest } from "../src/bundle/manifest.js";
import { projectFolder, start } from "./program.js";

/** Counts to 5, tells its process, and at 3 waits until a file is there, in the folder that the host's user chose. */
const tools = `
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer, defineTool } from "resumable-mcp";
import { z } from "zod";
import data from "./words.json" with { type: "json" };

const count = defineTool({
  name: "count",
  description: "Counts to five.",
  input: z.object({}),
  output: z.object({ words: z.array(z.string()), attempts: z.number() }),
  state: { at: 0 },
  async *run(_input: object, task) {
    for (let at = task.state.at + 1; at <= 5; at++) {
      yield { progress: at, total: 5, state: { at }, message: String(process.pid) };
      while (at === 3 && !existsSync(join(process.env.WORK_FOLDER ?? "", "go"))) {
        await sleep(10, undefined, { signal: task.signal });
      }
    }
    return { words: data.words, attempts: task.attempt };
  },
});
// What a module keeps open ends no command, and holds none.
setInterval(() => {}, 60_000);
export default defineServer({ name: "counters", version: "2.0.0", tools: [count] });
`;

/** A bit of an image. */
const icon = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function project(): Promise<string> {
  const folder = await projectFolder();
  const settings = { work_folder: { type: "directory", title: "Work", description: "Where to look.", required: true } };
  const own = { display_name: "Counters", user_config: settings, compatibility: { platforms: ["linux"] } };
  await writeFile(join(folder, "tools.ts"), tools);
  await writeFile(join(folder, "words.json"), '{ "words": ["one", "two"] }');
  await writeFile(join(folder, "icon.png"), icon);
  await writeFile(join(folder, "LICENSE"), "Mine.\n");
  await writeFile(join(folder, "package.json"), '{ "description": "Counts.", "author": "Ada <ada@example.com>" }');
  await writeFile(join(folder, "bundle.json"), JSON.stringify(own));
  return folder;
}

test("a bundle of a user's own tools is valid, and what is unpacked from it survives kill -9 (G1, G5)", async () => {
  const folder = await project();
  const given = ["--manifest", "bundle.json", "--icon", "icon.png", "--include", "words.json"];
  const packing = start(["bundle", "./tools.ts", ...given, "--", "--control-tools", "all"], folder);
  expect([await packing.ended, packing.output()]).toEqual([
    0,
    expect.stringMatching(/counters-2\.0\.0\.mcpb: \d+ KiB/),
  ]);
  const unpacked = join(folder, "unpacked");
  const mcpbPath = join(folder, "counters-2.0.0.mcpb");
  expect(await unpackExtension({ mcpbPath, outputDir: unpacked, silent: true })).toBe(true);
  expect(validateManifest(join(unpacked, "manifest.json"))).toBe(true);
  const manifest = JSON.parse(await readFile(join(unpacked, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({
    name: "counters",
    version: "2.0.0",
    display_name: "Counters",
    description: "Counts.",
    author: { name: "Ada" },
    icon: "icon.png",
    compatibility: { platforms: ["linux"] },
    tools: [{ name: "count" }],
  });
  expect(await readFile(join(unpacked, "icon.png"))).toEqual(icon);
  const names = ["words.json", "LICENSE", "THIRD_PARTY_LICENSES"];
  expect(names.filter((name) => existsSync(join(unpacked, name)))).toEqual(names);
  const { args, env } = manifest.server.mcp_config;
  expect(args).toEqual(expect.arrayContaining(["--control-tools", "all"]));
  // What the host puts in: where the bundle lies, and what its user chose.
  const filled = (text: string) =>
    text.replace(/\$\{(__dirname|user_config\.work_folder)\}/g, (_all, key) =>
      key === "__dirname" ? unpacked : folder,
    );
  const variables = { WORK_FOLDER: filled(env.WORK_FOLDER), XDG_DATA_HOME: join(folder, "data") };
  const server = { command: process.execPath, args: args.map(filled), env: variables };
  const client = await openClient({ servers: [server], stateFile: join(folder, "client.json") });
  onTestFinished(() => client.close());
  const call = await client.call("count", {});
  const seen: number[] = [];
  for await (const event of call.events()) {
    if (event.type !== "progress") continue;
    seen.push(event.progress);
    if (event.progress !== 3 || existsSync(join(folder, "go"))) continue;
    process.kill(Number(event.message), "SIGKILL");
    await writeFile(join(folder, "go"), "");
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect((await call.result()).structuredContent).toEqual({ words: ["one", "two"], attempts: 2 });
});

test("says in one sentence what a bundle lacks", async () => {
  const folder = await project();
  await writeFile(join(folder, "none.json"), '{ "author": {} }');
  await writeFile(join(folder, "torn.json"), "{");
  await writeFile(join(folder, "empty.json"), '{ "description": "", "author": {} }');
  const cases: [string[], number, RegExp][] = [
    [["bundle"], 2, /Name one tools module/],
    [
      ["bundle", "./tools.ts", "--manifest", "none.json"],
      1,
      /needs its author\.[\s\S]*\n {2}npm pkg set author="Your name"\n$/,
    ],
    [["bundle", "./tools.ts", "--manifest", "empty.json"], 1, /its description and its author\./],
    [["bundle", "./tools.ts", "--manifest", "torn.json"], 1, /torn\.json is not valid JSON/],
    [["bundle", "./tools.ts", "--", "--max-runing", "3"], 2, /The options after -- .*--max-runing/],
    [["bundle", "./tools.ts", "--", "--store", "tasks"], 2, /--store tasks would be looked for in the folder/],
    [["bundle", "./tools.ts", "--icon", "bundle.json"], 1, /--icon bundle\.json is not a PNG file/],
    [["bundle", "./tools.ts", "--include", "nowhere"], 1, /--include nowhere cannot be read/],
    [["bundle", "./nowhere.ts"], 1, /Cannot find the tools module/],
  ];
  for (const [args, code, sentence] of cases) {
    const ended = start(args, folder);
    expect([args, await ended.ended]).toEqual([args, code]);
    expect(ended.output()).toMatch(sentence);
    expect(ended.output()).not.toMatch(/\n\s+at /);
  }
});

test.skipIf(process.platform === "win32").each([
  ["to a file outside", "secret.txt"],
  ["to a folder outside", "outside"],
  ["to nothing", "nothing"],
  ["to a file of the folder itself", "data/words.txt"],
])("an included folder with a link %s is refused, and nothing is packed", async (_, target) => {
  const folder = await project();
  await mkdir(join(folder, "data", "deep"), { recursive: true });
  await mkdir(join(folder, "outside"));
  for (const file of ["secret.txt", "outside/key.txt", "data/words.txt"]) await writeFile(join(folder, file), "text");
  await symlink(join(folder, target), join(folder, "data", "deep", "link"));
  const packing = start(["bundle", "./tools.ts", "--manifest", "bundle.json", "--include", "data"], folder);
  expect([await packing.ended, packing.output()]).toEqual([
    1,
    expect.stringMatching(
      /--include data: .*deep.link is a link, .* Put the file itself there, or remove the link\.\n$/,
    ),
  ]);
  expect(existsSync(join(folder, "counters-2.0.0.mcpb"))).toBe(false);
});

test("settings become variables in capitals, unless the author passes them on otherwise", () => {
  const setting = { type: "string", title: "Key", description: "Key." };
  const parts = { definition: { name: "a", version: "1", tools: [] }, hasIcon: false, platforms: [], serverFlags: [] };
  const own = {
    user_config: { "api-key": setting, region: setting },
    server: { mcp_config: { env: { REGION: "eu" } } },
    compatibility: { claude_desktop: ">=0.11.6" },
  };
  const project = { author: { name: "Ada" }, license: "MIT", version: "9" };
  const made = makeManifest({ ...parts, own, project });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a host replaces looks like this.
  expect(made.server).toMatchObject({ mcp_config: { env: { API_KEY: "${user_config.api-key}", REGION: "eu" } } });
  expect(() => makeManifest({ ...parts, own: { user_config: { "node-options": setting } }, project })).toThrow(
    /NODE_OPTIONS would change how the server itself starts/,
  );
  expect(made).toMatchObject({
    version: "1",
    license: "MIT",
    author: { name: "Ada" },
    compatibility: { platforms: ["darwin", "win32", "linux"], claude_desktop: ">=0.11.6" },
  });
  expect(made).not.toHaveProperty("icon");
});
