import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type DemoServer, startDemoServer } from "../src/processes/demo-server.js";
import { findScript } from "../src/processes/program.js";

const built = new URL("../dist/", import.meta.url);
const tools = fileURLToPath(new URL("tools.js", built));
const clientScript = findScript("@resumable-mcp/client-tui", "resumable-mcp-client");
const serverScript = findScript("@resumable-mcp/server-http", "resumable-mcp-http");
const processing = "resumable_data_processing";
const atOnce = "delay_ms=0";
const earthquakeRows = 1707;

const started = z.object({ task_id: z.string() });
const processed = z.object({
  structured_content: z.object({ total_processed: z.number(), note: z.string().optional() }),
});

let folder: string;
let server: DemoServer;
/** A finished task of the caller, which no mistake may change. */
let done: string;
let untouched: unknown;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bad-input-"));
  server = await startDemoServer({ built, store: join(folder, "store"), port: 0 });
  done = await finishedTask(3);
  untouched = await client(["show", done, "--json"]);
});

afterAll(async () => {
  await server.end("SIGKILL");
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

async function run(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const [out, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, out, complaint };
}

const client = (args: readonly string[], url = server.url) =>
  run(clientScript, [...args, "--url", url, "--state", join(folder, "state.json")]);
/** On this machine another owner is one who is named. */
const another = ["--client-id", "another laptop"];
const serve = (args: readonly string[]) => run(serverScript, [tools, ...args]);

async function finishedTask(records: number): Promise<string> {
  const { out } = await client(["call", processing, `total_records=${records}`, atOnce]);
  return started.parse(JSON.parse(out)).task_id;
}

/** Says the exit code, and the one line that a person gets to read. */
async function complaintOf(program: Promise<{ code: unknown; out: string; complaint: string }>) {
  const { code, out, complaint } = await program;
  return { code, lines: (out + complaint).trimEnd().split("\n") };
}

const ofThisMachine = "These are the tasks of this machine's user.\n";
const oneLine = (code: number, sentence: string) => ({ code, lines: [expect.stringContaining(sentence)] });

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = z.object({ port: z.number() }).parse(probe.address());
  probe.close();
  return address.port;
}

describe("a caller's mistake gets one sentence, the right exit code, and changes nothing:", () => {
  test.each<[string, readonly string[], number, string]>([
    ["an unknown tool", ["call", "cuont"], 4, "No tool is named cuont. There are: resumable_data_processing, "],
    ["an argument of the wrong type", ["call", processing, "total_records=many"], 2, 'an integer, not "many".'],
    ["an unknown argument", ["call", processing, "records=5"], 2, "The tool has no argument records. It has: "],
    [
      "a city without data",
      ["call", "get_forecast", "city=x"],
      1,
      'The demo has no weather data of "x": New York and ',
    ],
    ["total_records of 0", ["call", processing, "total_records=0"], 2, "total_records has to be at least 1. See: "],
    [
      "an unknown task",
      ["show", "no-task-of-this-id"],
      4,
      "There is no task no-task-of-this-id. It may have been deleted, or belong to another owner. `resumable-mcp tasks --all` lists your tasks.",
    ],
    [
      "another owner's task",
      ["show", "DONE", ...another],
      4,
      "There is no task DONE. It may have been deleted, or belong to another owner. `resumable-mcp tasks --all` lists your tasks.",
    ],
    ["pausing another owner's task", ["pause", "DONE", ...another], 4, "There is no task DONE. "],
    ["pausing a task that does not run", ["pause", "DONE"], 1, "Task DONE is completed, so it cannot be paused."],
  ])("%s", async (_mistake, args, code, sentence) => {
    const named = (word: string) => word.replace("DONE", done);
    expect(await complaintOf(client(args.map(named)))).toEqual(oneLine(code, named(sentence)));
    expect(await client(["show", done, "--json"])).toEqual(untouched);
  });
});

describe("more than there is", () => {
  test("total_records of 10^9 processes all rows, and says so", async () => {
    const args = ["call", processing, "total_records=1000000000", "batch_size=1000", atOnce];
    const { code, out } = await client([...args, "--json"]);
    const result = processed.parse(JSON.parse(out.trimEnd().split("\n").at(-1) ?? ""));
    expect({ code, result }).toEqual({
      code: 0,
      result: {
        structured_content: {
          total_processed: earthquakeRows,
          note: `1000000000 records were asked for; default_dataset has ${earthquakeRows}, and all of them are processed.`,
        },
      },
    });
  });

  test("a batch_size larger than the total is one batch", async () => {
    const { code, complaint } = await client(["call", processing, "total_records=7", "batch_size=100", atOnce]);
    expect([code, complaint.match(/\d+\/7 records/g)]).toEqual([0, ["7/7 records"]]);
  });
});

describe("a server that cannot start says why in one sentence, and touches nothing:", () => {
  test("a port in use", async () => {
    const ended = await complaintOf(serve(["--port", String(server.port), "--store", join(folder, "second")]));
    expect(ended).toEqual(oneLine(1, `Port ${server.port} on 127.0.0.1 is in use. Choose another with --port`));
    expect((await client(["servers", "test"])).code).toBe(0);
  });

  test("a store's folder that cannot be written", async () => {
    const file = join(folder, "file");
    await writeFile(file, "no folder");
    const ended = await complaintOf(serve(["--port", "0", "--store", join(file, "store")]));
    expect(ended).toEqual(oneLine(1, "could not be written (ENOTDIR: mkdir). Check the store's folder and its disk."));
    expect(await readFile(file, "utf8")).toBe("no folder");
  });

  test("a store's folder of another layout version", async () => {
    const store = join(folder, "newer");
    await mkdir(store);
    await writeFile(join(store, "format.json"), '{"layout":99}');
    const ended = await complaintOf(serve(["--port", "0", "--store", store]));
    expect(ended).toEqual(oneLine(1, "says layout 99, and this version reads layout 3. Nothing was changed."));
    expect(await readdir(store)).toEqual(["format.json"]);
  });
});

describe("what lies about", () => {
  test("a corrupt task file is reported for its task, and no other task is harmed", async () => {
    const broken = await finishedTask(4);
    await server.end("SIGKILL");
    const files = await readdir(join(folder, "store", "tasks"), { recursive: true });
    const journals = files.filter((name) => name.includes(broken) && /journal\.\d+\.jsonl$/.test(name));
    for (const name of journals) {
      const path = join(folder, "store", "tasks", name);
      // The lines that say whose task it is are left.
      const lines = (await readFile(path, "utf8")).split("\n").slice(0, 2);
      await writeFile(path, [...lines, "{ not a journal", "{ at all", ""].join("\n"));
    }
    server = await startDemoServer({ built, store: join(folder, "store"), port: server.port });
    const sentence = `The files of task ${broken} are damaged. They are kept unchanged in `;
    expect(await complaintOf(client(["result", broken]))).toEqual(oneLine(1, sentence));
    expect((await client(["result", done])).code).toBe(0);
    expect(await finishedTask(5)).not.toBe(broken);
  });

  test("a server that is down is named, with what to start", async () => {
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    expect(await complaintOf(client(["call", processing, "--server-wait", "0s"], url))).toEqual(
      oneLine(3, `No server answers at ${url} (connection refused). Start it first, for example: `),
    );
  });

  test("a state file of another server keeps that server's tasks while one asks this one", async () => {
    const other = await startDemoServer({ built, store: join(folder, "other-store"), port: 0 });
    try {
      expect(await complaintOf(client(["show", done], other.url))).toEqual(oneLine(4, `There is no task ${done}.`));
      const listed = { code: 0, out: expect.stringContaining("No unfinished tasks."), complaint: ofThisMachine };
      expect(await client(["tasks"], other.url)).toEqual(listed);
      expect((await client(["result", done])).code).toBe(0);
    } finally {
      await other.end("SIGKILL");
    }
  });
});
