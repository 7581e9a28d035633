import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandNames } from "../src/command-line/command-table.js";
import { type OddServers, startOddServers } from "./odd-servers.js";
import { cli, freePort, killAll, run, start, startCli, startInTerminalWith, startServer } from "./processes.js";

const token = "a-token-that-opens-nothing-else";

let folder: string;
let odd: OddServers;
let url: string;
let guarded: string;
let common: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bad-input-"));
  odd = await startOddServers();
  const [port, guardedPort] = [await freePort(), await freePort()];
  await writeFile(join(folder, "tokens"), `${token} user-1\n`, { mode: 0o600 });
  await Promise.all([
    startServer(port, join(folder, "store")),
    startServer(guardedPort, join(folder, "guarded"), "--token-file", join(folder, "tokens")),
  ]);
  url = `http://127.0.0.1:${port}/mcp`;
  guarded = `http://127.0.0.1:${guardedPort}/mcp`;
  common = ["--url", url, "--state", join(folder, "state.json")];
});

afterAll(async () => {
  await killAll();
  await odd.close();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

describe.concurrent("a server that is not what one expects", () => {
  const free = async () => `http://127.0.0.1:${await freePort()}/mcp`;

  it.each<[string, () => string | Promise<string>, string, string, (readonly string[])?]>([
    ["is down", free, "SERVER_UNREACHABLE", "Start it first", ["--server-wait", "0s"]],
    ["has another path", () => `${url}x`, "NOT_AN_MCP_SERVER", "its path is usually /mcp"],
    ["is a web page", () => odd.webPage, "NOT_AN_MCP_SERVER", "Check the URL"],
    ["does not speak HTTP", () => odd.noHttp, "NOT_AN_MCP_SERVER", "it does not speak HTTP"],
    ["has a certificate of its own", () => odd.selfSigned, "SERVER_UNTRUSTED", "NODE_EXTRA_CA_CERTS="],
    ["does not speak TLS", () => odd.noTls, "SERVER_UNTRUSTED", "its URL begins with http://"],
    ["speaks an unknown protocol", () => odd.unknownProtocol, "NOT_AN_MCP_SERVER", "it speaks version 2099-01-01"],
    ["wants a token", () => guarded, "UNAUTHORIZED", "Give a valid token"],
    ["wants another token", () => guarded, "UNAUTHORIZED", "or sign in", ["--token", "wrong-token-wrong-token"]],
  ])("%s", async (_name, address, code, advice, more = []) => {
    const state = ["--state", join(folder, "odd.json")];
    const program = await run("tasks", "--json", "--url", await address(), ...more, ...state);
    const { error } = JSON.parse(program.stdout);
    expect([program.code, error.code, error.message]).toEqual([3, code, expect.stringContaining(advice)]);
    expect(program.stderr).toEqual(more.includes("--token") ? expect.stringContaining("Use --token-file") : "");
  });

  it.each([
    ["does not exist", "/nonexistent/server", "command not found"],
    ["ends at once", `"${process.execPath}" -e "process.exit(5)"`, "Check the command"],
    ["is not a server", `"${process.execPath}" -e "console.log('hello')"`, "Check the command"],
  ])("is a command that %s", async (_name, command, advice) => {
    const program = await run("tasks", "--stdio", command, "--state", join(folder, "odd.json"));
    expect([program.code, program.stderr]).toEqual([3, expect.stringContaining(advice)]);
  });

  it("never answers: the command is left after --timeout", async () => {
    const silent = ["--url", odd.silent.url, "--state", join(folder, "silent.json"), "--timeout", "0.2s"];
    const program = await run("call", "count", ...silent);
    expect([program.code, program.stderr]).toEqual([7, expect.stringContaining("No answer within 0.2 s")]);
  });

  it("is used with the token that it was added with, which is shown nowhere", async () => {
    const state = ["--state", join(folder, "token.json")];
    const added = start(process.execPath, [cli, "servers", "add", guarded, "--token-file", "-", ...state]);
    await added.press(`${token}\n`);
    added.child.stdin?.end();
    expect(await added.ended).toBe(0);
    const listed = await run("servers", "--json", ...state);
    expect(JSON.parse(listed.stdout).servers).toMatchObject([{ server: guarded, ok: true }]);
    const shown = [added.stdout(), added.stderr(), listed.stdout, listed.stderr];
    expect(shown.filter((text) => text.includes(token))).toEqual([]);
    expect(await readFile(join(folder, "token.json"), "utf8")).not.toContain(token);
    await run("servers", "remove", guarded, ...state);
    expect(await readFile(join(folder, "token.credentials.json"), "utf8")).not.toContain(token);
  });
});

describe.concurrent("a file that cannot be used", () => {
  const files = async (prefix: string) => {
    const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).toSorted();
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const));
  };

  it.each<[string, string, number, string, readonly string[]]>([
    ["torn", "{torn", 0, "It is kept as", ["torn.json", "torn.json.corrupt-1"]],
    [
      "newer",
      '{"format":"resumable-mcp-client","version":99}',
      0,
      "knows versions up to",
      ["newer.json", "newer.v1.json"],
    ],
    ["foreign", '{"name":"x"}', 9, "is not a state file of this client", ["foreign.json"]],
  ])("for its state: %s", async (name, text, code, message, names) => {
    await writeFile(join(folder, `${name}.json`), text);
    const program = await run("session", "--url", url, "--state", join(folder, `${name}.json`));
    const after = await files(`${name}.`);
    expect([program.code, program.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(after.map(([file]) => file)).toEqual(names);
    expect(after.map(([, kept]) => kept)).toContain(text);
  });

  it.each([
    ["torn", '{"servers": {"http://127.0.0.1/mcp": {"token": "secret-tok'],
    ["newer", '{"format":"resumable-mcp-credentials","version":99,"servers":{}}'],
  ])("for its credentials is left as it is, and nothing of it is shown: %s", async (name, text) => {
    await writeFile(join(folder, `${name}-c.credentials.json`), text, { mode: 0o600 });
    const program = await run("tasks", "--url", url, "--state", join(folder, `${name}-c.json`));
    expect([program.code, program.stderr]).toEqual([9, expect.stringContaining("Move it away")]);
    expect(program.stderr).not.toContain("secret");
    expect(await files(`${name}-c.credentials`)).toEqual([[`${name}-c.credentials.json`, text]]);
  });

  it("because it would be under something that is not a folder", async () => {
    await copyFile(cli, join(folder, "file"));
    const program = await run("tasks", "--state", join(folder, "file", "state.json"));
    expect([program.code, program.stderr]).toEqual([9, expect.stringContaining("Name another file")]);
  });
});

describe.concurrent("a task that vanished", () => {
  const verbs = ["show", "watch", "wait", "pause", "resume", "cancel", "answer", "result", "items", "delete"];

  it.each(verbs)("is named by its id, with what to do: %s", async (verb) => {
    const program = await run(verb, "vanished-task", ...common);
    expect([program.code, program.stderr]).toEqual([4, expect.stringMatching(/vanished-task|of that id/)]);
  });

  it("from under a client that follows it ends that client with a sentence", async () => {
    const id = (await run("call", "count", "to=5", "delay_ms=0", "--detach", ...common)).stdout.trim();
    expect((await run("wait", id, ...common)).code).toBe(0);
    expect((await run("delete", id, ...common)).stdout).toContain(`Deleted ${id}`);
    expect((await run("result", id, ...common)).code).toBe(4);
    expect((await run("tasks", ...common)).code).toBe(0);
  });
});

describe("a signal", () => {
  const words: Readonly<Record<string, readonly string[]>> = {
    call: ["count", "to=1"],
    answer: ["task", "key"],
    servers: ["test"],
    tasks: [],
    stats: [],
    session: [],
    tools: [],
  };
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;
  const cases = commandNames
    .filter((name) => name !== "completion" && name !== "help")
    .map((name, index) => [name, ...(signals[index % signals.length] ?? signals[0])] as const);

  it.each(cases)("ends %s on %s with %i, and the state file is whole", async (name, signal, code) => {
    const state = join(folder, `signal-${name}.json`);
    const asked = odd.silent.asked();
    const program = startCli(name, ...(words[name] ?? ["task"]), "--url", odd.silent.url, "--state", state);
    await asked;
    program.child.kill(signal);
    expect([await program.ended, program.stderr()]).toEqual([code, ""]);
    expect(JSON.parse(await readFile(state, "utf8"))).toMatchObject({ format: "resumable-mcp-client" });
  });

  it.each(signals)("%s leaves a task that is followed and says how to come back: %i", async (signal, code) => {
    const call = startCli("call", "confirm", "--new", "--wait", ...common);
    await call.seen(/The task asks/);
    call.child.kill(signal);
    expect([await call.ended, call.stderr()]).toEqual([code, expect.stringContaining("resumable-mcp watch")]);
  });
});

describe("a reader that stops early", () => {
  it("ends the program without a word, and the task continues", async () => {
    const words = ["call", "count", "to=30", "delay_ms=30", "--json", ...common].map((word) => `'${word}'`).join(" ");
    const program = `'${process.execPath}' '${cli}'`;
    const shell = start("bash", ["-c", `${program} ${words} | head -n 1; echo "codes \${PIPESTATUS[*]}"`]);
    expect(await shell.ended).toBe(0);
    const [started = "", codes] = shell.stdout().trim().split("\n");
    expect([codes, shell.stderr()]).toEqual(["codes 0 0", ""]);
    const waited = await run("wait", JSON.parse(started).task_id, ...common);
    expect([waited.code, JSON.parse(waited.stdout)]).toEqual([0, { counted: 30 }]);
  });
});

describe("a pipe that holds less than is printed", () => {
  it("gets all of it", async () => {
    const gate = "x".repeat(100_000);
    const called = await run("call", "count", "to=1", `gate=${gate}`, "--json", ...common);
    const [started = ""] = called.stdout.split("\n");
    const words = ["show", JSON.parse(started).task_id, "--json", ...common].map((word) => `'${word}'`).join(" ");
    // Reads late.
    const shell = start("bash", ["-c", `'${process.execPath}' '${cli}' ${words} | (sleep 3; cat)`]);
    expect([await shell.ended, JSON.parse(shell.stdout()).arguments.gate.length]).toEqual([0, gate.length]);
  });
});

describe("a terminal that can do nothing", () => {
  it("is written to line by line, without a control character", async () => {
    const program = startInTerminalWith({ TERM: "dumb", NO_COLOR: "1" }, "call", "count", "to=3", ...common);
    expect(await program.ended).toBe(0);
    const lines = program.stdout().replaceAll("\r\n", "\n");
    expect(lines).toContain("(3/3)");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
    expect(lines).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
