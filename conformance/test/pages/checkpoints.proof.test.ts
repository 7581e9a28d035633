import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { killAll, type Program, start } from "../../src/program.js";
import { root } from "../../src/repository.js";
import { writePage } from "./page.js";
import { openPage } from "./recipe.js";

afterEach(killAll);

const page = "docs/cookbook/checkpoints.md";
const node = ["node server-1.mjs", "node server-2.mjs"] as const;
const hasPython = spawnSync("python3", ["--version"]).status === 0;
/** Where the machine has no Python, too; it cannot open pipes as files. */
const webAssembly = `node ${join(root, "conformance", "test", "pages", "python.js")} server.py`;
const text = "word ".repeat(200);

/** Runs the check of a server in the page's folder, with three files. */
function check(folder: string, server: string): Program {
  mkdirSync(join(folder, "papers"));
  for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(join(folder, "papers", name), text);
  const program = join(root, "conformance", "dist", "run.js");
  const call = ["--after", "2", "count_words", '{"folder":"papers"}'];
  return start(process.execPath, [program, "checkpoint", ...call, "--", ...server.split(" ")], { cwd: folder });
}

test.each([
  ["Python in WebAssembly", webAssembly],
  ["the server with SDK 1.x", node[0]],
  ["the server with SDK 2.x", node[1]],
])("%s is killed behind a checkpoint, and keeps every rule", async (_name, server) => {
  const printed = await check(writePage(page, "recipes"), server).succeeded();
  expect(printed.trim().split("\n")).toEqual(Array(7).fill(expect.stringMatching(/^holds {2}rule \d+ /)));
});

test("the check says which rules a server breaks that begins from the start", async () => {
  const folder = writePage(page, "recipes");
  const file = join(folder, "count-words.mjs");
  writeFileSync(file, readFileSync(file, "utf8").replace("resume === undefined", "true"));
  const checking = check(folder, "node server-1.mjs");
  expect(await checking.ended).toBe(1);
  const broken = [...checking.stdout().matchAll(/^DOES NOT HOLD {2}rule (\d+)/gm)].map(([, rule]) => Number(rule));
  expect(broken).toEqual([14, 15, 16]);
});

test.each([...(hasPython ? ["python3 server.py"] : []), ...node])(
  "%s is killed while it reads a file, then with its gateway, and no file is counted twice",
  async (command) => {
    const opened = await openPage(page);
    const papers = join(opened.folder, "papers");
    const names = Array.from({ length: 30 }, (_, index) => `${index + 10}.txt`);
    mkdirSync(papers);
    for (const name of names) writeFileSync(join(papers, name), text);
    // Files whose end does not come until they are written: the server waits for them.
    const [first, second] = ["25.txt", "33.txt"].map((name) => join(papers, name));
    for (const slow of [first, second]) execFileSync("sh", ["-c", `rm "${slow}" && mkfifo "${slow}"`]);
    // Each server notes its process id, and becomes the command.
    writeFileSync(join(opened.folder, "noted.sh"), 'echo $$ >> pids; exec "$@"\n');
    const pids = () => readFileSync(join(opened.folder, "pids"), "utf8").trim().split("\n").map(Number);
    const serve = () => opened.serve((line) => line.replace("python3 server.py", `sh noted.sh ${command}`));
    const write = (slow: string | undefined) => start("sh", ["-c", `printf '%s' "$1" > "${slow}"`, "sh", text]);

    const gateway = await serve();
    const call = opened.type("call count_words");
    await call.seen(/24\.txt/);
    // A server that begins from the start would not find them.
    for (const name of names.filter((name) => name < "25")) rmSync(join(papers, name));
    process.kill(pids()[0] ?? 0, "SIGKILL");
    await expect.poll(pids).toHaveLength(2);
    write(first);
    await call.seen(/32\.txt/);
    await gateway.stop("SIGKILL");
    await serve();
    await expect.poll(pids).toHaveLength(3);
    write(second);

    const shown = (await call.succeeded()).trim().split("\n");
    expect(shown).toEqual([...names.map((name) => `${name}: 200`), "6000 words in 30 files"]);
  },
);
