import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type HostName, hostFile, hostFormat, hostNames, serversKey } from "@resumable-mcp/protocol/hosts";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { hostEntry, lastingPath } from "../src/hosts/host-config.js";
import { type Dialogue, installServer, uninstallServer } from "../src/hosts/install.js";
import { configSamples } from "./config-samples.js";
import { connectHost, runToEnd, testFolder, toolsModule } from "./stdio-host.js";

const timeoutMs = 240_000;
const start = { name: "my-tools", command: "/usr/bin/node", args: ["/opt/cli.js", "/srv/tools.mjs", "--handoff"] };

/** Says yes or no to everything, and keeps what it was shown. */
function dialogueThat(answer: boolean | undefined): Dialogue & { readonly shown: () => string } {
  const shown: string[] = [];
  return { show: (text) => void shown.push(text), confirm: async () => answer, shown: () => shown.join("") };
}
const agreeing = dialogueThat(true);

async function fileWith(text: string, name = "config.json"): Promise<string> {
  const file = join(await testFolder(), name);
  await writeFile(file, text);
  return file;
}
const entryOf = (host: HostName) => hostEntry(host, start);
/** What a host reads of its file. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => parseJsonc(text, [], { allowTrailingComma: true }),
  toml: (text) => structuredClone(parseToml(text, { integersAsBigInt: "asNeeded" })),
  yaml: (text) => parseYaml(text),
  "yaml-list": (text) => {
    const { mcpServers, ...rest } = Object(parseYaml(text));
    if (!Array.isArray(mcpServers)) return rest;
    return { ...rest, mcpServers: Object.fromEntries(mcpServers.map((server) => [server.name, server])) };
  },
};
const namesNextTo = async (file: string) => (await readdir(dirname(file))).sort();

test.each(configSamples)(
  "a file of $host with $what gets a server, and undo restores every byte",
  async ({ host, text }) => {
    const file = await fileWith(text);
    await chmod(file, 0o640);
    const server = entryOf(host);
    const dialogue = dialogueThat(true);
    expect(await installServer(file, server, dialogue)).toBe("changed");
    expect(dialogue.shown()).toMatch(/^\+.*my-tools/m);
    const [before, after] = [text, await readFile(file, "utf8")];
    const read = (from: string) => Object(readers[server.format]?.(from.replace(/^\uFEFF/, "")));
    expect(read(after)).toEqual({
      ...read(before),
      [server.key]: { ...read(before)[server.key], "my-tools": server.entry },
    });
    expect(await readFile(`${file}.resumable-mcp-backup-1`, "utf8")).toBe(text);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await installServer(file, server, agreeing)).toBe("unchanged");
    expect(await uninstallServer(file, server, agreeing)).toBe("changed");
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await uninstallServer(file, server, agreeing)).toBe("unchanged");
  },
);

test.each(hostNames)("a missing file of %s is made with its folder, and undo removes it", async (host) => {
  const file = join(await testFolder(), "no", "such", "folder", "config.json");
  const server = entryOf(host);
  expect(await installServer(file, server, agreeing)).toBe("changed");
  expect(readers[server.format]?.(await readFile(file, "utf8"))).toEqual({
    ...server.needs,
    [server.key]: { "my-tools": server.entry },
  });
  expect(await uninstallServer(file, server, agreeing)).toBe("changed");
  expect(await namesNextTo(file)).toEqual([]);
});

test.runIf(existsSync("/proc/self"))(
  "a file in a folder that the system does not make is refused at once",
  async () => {
    await expect(installServer("/proc/nope/config.json", entryOf("claude-code"), agreeing)).rejects.toThrow("ENOENT");
  },
);

test("an empty file gets a server, and is empty again after undo", async () => {
  const file = await fileWith("");
  const server = entryOf("claude-desktop");
  await installServer(file, server, agreeing);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcpServers: { "my-tools": server.entry } });
  await uninstallServer(file, server, agreeing);
  expect(await readFile(file, "utf8")).toBe("");
});

test("what was changed since stays: undo takes out nothing but the server", async () => {
  const sample = '{\n  "mcpServers": {\n    "a": {} // first\n  }\n}\n';
  const file = await fileWith(sample);
  const server = entryOf("cursor");
  await installServer(file, server, agreeing);
  const later = (await readFile(file, "utf8")).replace('"a": {}', '"a": { "command": "new" }');
  await writeFile(file, later);
  await uninstallServer(file, server, agreeing);
  expect(await readFile(file, "utf8")).toBe(sample.replace('"a": {}', '"a": { "command": "new" }'));
  expect(await readFile(`${file}.resumable-mcp-backup-2`, "utf8")).toBe(later);
});

const refusals: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ["is invalid", (file) => writeFile(file, '{ "mcpServers": { '), /is not valid JSON .* It was left as it is/],
  ["is not UTF-8", (file) => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d])), /is not valid UTF-8 text/],
  ["is read-only", (file) => chmod(file, 0o444), /is read-only\. Make it writable first/],
];
test.each(refusals)("a file that %s is refused and left as it is", async (_what, spoil, sentence) => {
  const file = await fileWith('{ "mcpServers": {} }');
  await spoil(file);
  const before = await readFile(file);
  const server = entryOf("claude-desktop");
  await expect(installServer(file, server, agreeing)).rejects.toThrow(sentence);
  await expect(uninstallServer(file, server, agreeing)).rejects.toThrow(sentence);
  expect(await readFile(file)).toEqual(before);
  expect(await namesNextTo(file)).toEqual(["config.json"]);
});

test("a symbolic link stays one: the file behind it is changed; a link to nothing is refused", async () => {
  const real = await fileWith("{}\n", "real.json");
  const link = join(dirname(real), "link.json");
  await symlink(real, link);
  await installServer(link, entryOf("vscode"), agreeing);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(real, "utf8")).toContain("my-tools");
  const broken = join(dirname(real), "broken.json");
  await symlink("nowhere.json", broken);
  await expect(installServer(broken, entryOf("vscode"), agreeing)).rejects.toThrow(
    /link to a file that does not exist/,
  );
});

test("nothing is written when the change is declined, the user cannot be asked, or the file changes meanwhile", async () => {
  const file = await fileWith("{}\n");
  const server = entryOf("claude-code");
  expect(await installServer(file, server, dialogueThat(false))).toBe("declined");
  await expect(installServer(file, server, dialogueThat(undefined))).rejects.toThrow(/Nothing was written\. Add --yes/);
  expect(await namesNextTo(file)).toEqual(["config.json"]);
  const confirm = () => writeFile(file, '{ "numStartups": 42 }').then(() => true);
  await expect(installServer(file, server, { ...agreeing, confirm })).rejects.toThrow(/changed by another program/);
  expect(await readFile(file, "utf8")).toBe('{ "numStartups": 42 }');
});

test("a path into pnpm's folder of a version is the one that stays after an update, where pnpm keeps a link to it", async () => {
  const store = join(await realpath(await testFolder()), "node_modules", ".pnpm");
  const script = join("node_modules", "@a", "b", "cli.cjs");
  for (const version of ["@a+b@1", "@a+b@2"]) {
    await mkdir(dirname(join(store, version, script)), { recursive: true });
    await writeFile(join(store, version, script), "");
  }
  await mkdir(join(store, "node_modules", "@a"), { recursive: true });
  await symlink(dirname(join(store, "@a+b@1", script)), join(store, "node_modules", "@a", "b"), "junction");
  expect(lastingPath(join(store, "@a+b@1", script))).toBe(join(store, script));
  for (const path of [join(store, "@a+b@2", script), join("/", "opt", script)]) expect(lastingPath(path)).toBe(path);
});

/** A user's folder, with an empty configuration of a host in it. */
async function homeWith(host: HostName) {
  const home = await testFolder();
  const env = { PATH: "", HOME: home, XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" };
  const file = hostFile(host, "user", { platform: process.platform, env, home, workingDirectory: "/" }) ?? "";
  await mkdir(dirname(file), { recursive: true });
  const text = hostFormat(host) === "json" ? "{}\n" : "# mine\n";
  await writeFile(file, text);
  return { env, file, text };
}

test.each(hostNames)(
  "the program writes a server into the file of %s, and undoes it",
  async (host: HostName) => {
    const { env, file, text } = await homeWith(host);
    const [install, undo] = [
      ["--install", host, "--yes", "--handoff"],
      ["--uninstall", host, "--yes"],
    ];
    expect(await runToEnd([toolsModule, ...install], { env })).toMatchObject({ code: 0 });
    const written = Object(readers[hostFormat(host)]?.(await readFile(file, "utf8")))[serversKey(host)];
    const { command, cmd, args = [] } = written["crash-tools"];
    const [program, ...rest] = [command ?? cmd, args].flat();
    expect([program, rest]).toEqual([process.execPath, expect.arrayContaining(["--handoff"])]);
    expect(await runToEnd([...undo, "--name", "crash-tools"], { env })).toMatchObject({ code: 0 });
    expect(await readFile(file, "utf8")).toBe(text);
  },
  timeoutMs,
);

test(
  "the program shows the change and writes nothing where the user cannot be asked; what it writes starts the server",
  async () => {
    const { env, file } = await homeWith("claude-desktop");
    const refused = await runToEnd([toolsModule, "--install", "claude-desktop"], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Add --yes to write this.") });
    expect(refused.stdout).toMatch(/^--- .*\tbefore\n\+\+\+ .*\tafter\n/m);
    expect(refused.stdout).toMatch(/^\+.*"crash-tools"/m);
    expect(await readFile(file, "utf8")).toBe("{}\n");
    await runToEnd([toolsModule, "--install", "claude-desktop", "--yes"], { env });
    const { args } = JSON.parse(await readFile(file, "utf8")).mcpServers["crash-tools"];
    const { client } = await connectHost(args.slice(1), { env, cwd: "/" });
    expect(await client.callTool({ name: "count_to", arguments: { n: 1 } })).toMatchObject({
      structuredContent: { counted: 1 },
    });
  },
  timeoutMs,
);

test("version 2 of opencode keeps its servers one level deeper, and gets them there", async () => {
  const text =
    '{\n  "mcp": {\n    "timeout": { "execution": 1 },\n    "servers": {\n      "a": { "type": "remote" }\n    }\n  }\n}\n';
  const file = await fileWith(text);
  const server = entryOf("opencode");
  expect(await installServer(file, server, agreeing)).toBe("changed");
  const { servers, timeout } = JSON.parse(await readFile(file, "utf8")).mcp;
  expect({ servers, timeout }).toEqual({
    servers: { a: { type: "remote" }, "my-tools": { type: "local", command: [start.command, ...start.args] } },
    timeout: { execution: 1 },
  });
  expect(await uninstallServer(file, server, agreeing)).toBe("changed");
  expect(await readFile(file, "utf8")).toBe(text);
});
