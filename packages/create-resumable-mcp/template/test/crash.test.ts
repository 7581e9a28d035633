import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const program = join(dirname(createRequire(import.meta.url).resolve("resumable-mcp/package.json")), "dist", "cli.js");
const tools = fileURLToPath(new URL("../src/tools.js", import.meta.url));

test("a call survives that its server is killed, and at most one page is fetched again", {
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "crash-test-"));
  const log = join(folder, "pages.log");
  const running = new Set<ChildProcess>();
  t.after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const env = { ...process.env, XDG_STATE_HOME: folder, PAGE_LOG: log, PAGE_MS: "20" };
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    child.once("exit", () => running.delete(child));
    return { child, stdout: follow(child.stdout), stderr: follow(child.stderr) };
  };
  const serve = async (port: string) => {
    const server = start(
      "serve",
      "http",
      tools,
      "--port",
      port,
      "--store",
      join(folder, "store"),
      "--recover-after",
      "now",
    );
    const [, url = ""] = await server.stderr.seen(/listening on (\S+)/);
    return { ...server, url };
  };

  const first = await serve("0");
  const call = start("--url", first.url, "call", "fetch_pages", "pages=40");
  await call.stderr.seen(/10\/40/);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  await serve(new URL(first.url).port);

  const [code] = await once(call.child, "close");
  assert.equal(code, 0, call.stderr.text());
  assert.deepEqual(JSON.parse(call.stdout.text()), { pages: 40, characters: 631 });
  const fetched = (await readFile(log, "utf8")).trim().split("\n").map(Number);
  // At most the page that was being fetched at the moment of the kill ran twice: its checkpoint was not stored yet.
  const repeated = fetched.length - new Set(fetched).size;
  assert.ok(repeated <= 1, `pages that ran twice: ${repeated}`);
  assert.deepEqual(
    [...new Set(fetched)],
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
});

/** Collects what a program writes. */
function follow(stream: NodeJS.ReadableStream) {
  let text = "";
  stream.setEncoding("utf8");
  let isOver = false;
  const end = new Promise<void>((resolve) => stream.once("end", resolve)).then(() => {
    isOver = true;
  });
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    /** Resolves at the first match. */
    async seen(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(text);
        if (found !== null) return found;
        if (isOver) throw new Error(`The program ended before ${pattern}: ${text}`);
        await Promise.race([once(stream, "data"), end]);
      }
    },
  };
}
