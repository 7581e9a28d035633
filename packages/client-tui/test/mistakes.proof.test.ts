import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "@resumable-mcp/command-line/store";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort, killAll, run, startCli, startServer } from "./processes.js";

let folder: string;
let port: number;
let common: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mistake-"));
  port = await freePort();
  await startServer(port, join(folder, "store"));
  common = ["--url", `http://127.0.0.1:${port}/mcp`, "--state", join(folder, "state.json")];
});

afterAll(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

describe("a mistake", () => {
  it.each([
    ["an unknown command", ["cuont"], 2, "There is no command cuont"],
    ["an unknown tool", ["call", "cuont"], 4, "Did you mean count? There are: count, confirm"],
    ["an unknown argument", ["call", "count", "too=5"], 2, "Did you mean to? It has: to, delay_ms"],
    ["a missing argument", ["call", "fragile"], 2, "well is missing (a string). See: resumable-mcp tools fragile"],
    ["an argument of a wrong type", ["call", "count", "to=many"], 2, 'to has to be an integer, not "many"'],
    ["an argument that the tool would refuse", ["call", "count", "to=0"], 2, "to has to be at least 1"],
    ["an unknown task", ["show", "unknown"], 4, "belong to another owner. `resumable-mcp tasks --all` lists"],
    ["a wrong option", ["tasks", "--nope"], 2, "--help"],
    ["no terminal", [], 2, "The screens need a terminal. Name a command: resumable-mcp-client help"],
  ])("of %s is answered in a sentence", async (_name, args, code, text) => {
    const program = await run(...args, ...common);
    expect(program.code).toBe(code);
    expect(program.stdout + program.stderr).toContain(text);
    expect(program.stderr).not.toMatch(/^ +at /m);
  });

  it("of a server that is not there says what to start", async () => {
    const program = await run(
      "tasks",
      "--url",
      `http://127.0.0.1:${await freePort()}/mcp`,
      "--state",
      join(folder, "s.json"),
      "--server-wait",
      "0s",
    );
    const advice = expect.stringMatching(
      /Start it first, for example: resumable-mcp serve http tools\.mjs --port \d+\n$/,
    );
    expect([program.code, program.stderr]).toEqual([3, advice]);
  });
});

describe("a command on several tasks", () => {
  it("is tried on each of them, and says what became of it", async () => {
    const begin = async (to: number) =>
      (await run("call", "count", `to=${to}`, "delay_ms=600000", "--detach", ...common)).stdout.trim();
    const [first, last] = [await begin(11), await begin(12)];
    const unknown = "no-such-task-here";
    const tried = async (verb: string, ...more: string[]) => {
      const { code, stdout, stderr } = await run(verb, first, unknown, last, ...more, ...common);
      return { code, lines: stdout.trim().split("\n"), stderr };
    };
    for (const verb of ["pause", "cancel", "delete"]) {
      expect(await tried(verb), verb).toEqual({
        code: 4,
        lines: [expect.stringContaining(first), expect.stringContaining(last)],
        stderr: expect.stringMatching(
          /^refused {2}no-such-task-here {2}TASK_NOT_FOUND: .* `resumable-mcp tasks --all` lists your tasks\.\n$/,
        ),
      });
      if (verb !== "pause") continue;
      const { code, lines } = await tried("resume", "--json");
      expect([code, ...lines.map((line) => JSON.parse(line))]).toMatchObject([
        4,
        { task_id: first },
        { task_id: unknown, error: { code: "TASK_NOT_FOUND" } },
        { task_id: last },
      ]);
    }
  });
});

describe("tasks and show", () => {
  it("say of a task of a store what they say of it by way of its server", async () => {
    const id = (await run("call", "confirm", "--detach", ...common)).stdout.trim();
    await expect.poll(async () => (await run("show", id, ...common)).stdout).toContain("needs input");
    const byStore = async (...words: string[]) => {
      const out: string[] = [];
      const console = { error: () => {}, write: async () => {}, input: process.stdin };
      const options = ["--store", join(folder, "store")];
      await runCommand([...words, ...options], { out: (text) => out.push(text), ...console });
      return out.join("\n");
    };
    const byServer = async (...words: string[]) => (await run(...words, ...common)).stdout;
    const asJson = (text: string) => JSON.parse(text);
    const listed = ["tasks", "--tool", "confirm"];
    const { server: _server, ...known } = asJson(await byServer("show", id, "--json"));
    expect(asJson(await byStore("show", id, "--json"))).toMatchObject(known);
    const [{ server: _, ...first }] = asJson(await byServer(...listed, "--json")).tasks;
    expect(asJson(await byStore(...listed, "--json"))).toMatchObject({ total: 1, tasks: [first] });
    const columns = (text: string) => text.split("\n", 1)[0]?.split(/ +/);
    const titles = ["TASK", "TOOL", "STATUS", "PROGRESS", "AGE", "MESSAGE"];
    expect(columns(await byServer(...listed))).toEqual(titles);
    expect(columns(await byStore(...listed))).toEqual(titles.toSpliced(3, 0, "OWNER"));
    const facts = (text: string) =>
      text.split("\n").filter((row) => /^(task|tool|status|attempt|asks|created) /.test(row));
    expect(facts(await byStore("show", id))).toEqual(facts(await byServer("show", id)));
  });
});

describe("a call to a server that is just starting", () => {
  const address = async () => {
    const free = await freePort();
    return { free, words: ["--url", `http://127.0.0.1:${free}/mcp`, "--state", join(folder, `${free}.json`)] };
  };

  it("waits until it listens, says so on stderr, and gets its result", async () => {
    const { free, words } = await address();
    const call = startCli("call", "count", "to=3", "delay_ms=0", "--json", "-q", ...words);
    await call.seen(
      /No server answers at \S+ yet\. Waiting up to 10 s for a server that is starting\. Ctrl-C leaves\.\n/,
    );
    // How long a process takes to start does not matter here: the one that runs takes the calls to this port from now on.
    const door = createServer((caller) => {
      const server = connect(port, "127.0.0.1");
      for (const end of [caller, server])
        end.on("error", () => {}).on("close", () => [caller, server].map((one) => one.destroy()));
      caller.pipe(server).pipe(caller);
    });
    onTestFinished(() => void door.close());
    door.listen(free, "127.0.0.1");
    const code = await call.ended;
    const lines = call.stdout().trim().split("\n");
    expect(code).toBe(0);
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(expect.arrayContaining(["started", "result"]));
    expect(call.stderr().match(/answers at \S+ yet/g)).toHaveLength(1);
  });

  it("is left with Ctrl-C", async () => {
    const call = startCli("call", "count", "to=3", ...(await address()).words);
    await call.seen(/No server answers at/);
    call.child.kill("SIGINT");
    expect(await call.ended).toBe(130);
  });

  it("ends where --timeout ends, and says what to start", async () => {
    const { words } = await address();
    const { code, stderr } = await run("call", "count", "to=3", "--timeout", "3s", ...words);
    expect([code, stderr]).toEqual([3, expect.stringContaining("Start it first")]);
  });
});

describe("--quiet", () => {
  it("leaves the result and nothing else", async () => {
    const program = await run("call", "count", "to=3", "delay_ms=0", "-q", ...common);
    expect(program).toEqual({ code: 0, stdout: '{"counted":3}\n', stderr: "" });
  });
});

describe("help", () => {
  it("names the program that was started", async () => {
    expect((await run("--help")).stdout).toMatch(/^resumable-mcp-client: .*\n\nUsage: resumable-mcp-client /);
  });

  it("of one command is printed by help COMMAND and COMMAND --help", async () => {
    const [asked, flagged] = await Promise.all([run("help", "tasks"), run("tasks", "--help")]);
    expect(asked).toEqual({ code: 0, stdout: expect.stringMatching(/^resumable-mcp-client tasks\n/), stderr: "" });
    expect(flagged).toEqual(asked);
    expect(await run("help", "taks")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean tasks?"),
    });
  });

  it("of one tool is its arguments", async () => {
    const { code, stdout } = await run("tools", "count", ...common);
    expect([code, stdout.trim().split("\n")]).toEqual([
      0,
      [
        "count  Counts to a number, slowly.",
        "  to  an integer, required",
        "  delay_ms  an integer, by default 20",
        "  gate  a string, optional: A file without which it does not count beyond 10.",
        "Call it with: resumable-mcp call count to=20 [delay_ms=20] [gate=…]",
      ],
    ]);
  });
});

describe("--version", () => {
  it("prints the version of the package", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect(await run("--version")).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
