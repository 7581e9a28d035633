import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killAll, type Program, start } from "../../src/program.js";
import { root } from "../../src/repository.js";
import { freePort } from "../packed/free-port.js";
import { examplesIn, filesIn } from "../readme-examples.js";

const page = "docs/tutorial.md";
const blocks = examplesIn(page);
const made = mkdtempSync(join(tmpdir(), "tutorial-"));
const project = join(made, "my-tools");
const modules = join(root, "conformance", "node_modules");
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$)/i.test(name))),
  ...Object.fromEntries(["STATE", "DATA", "CONFIG"].map((kind) => [`XDG_${kind}_HOME`, join(made, kind)])),
  HOME: made,
  PATH: `${join(made, "bin")}:${process.env.PATH}`,
};

beforeAll(() => {
  const program = (name: string) => `"${process.execPath}" "${join(root, "packages", name, "dist", "cli.js")}"`;
  // What npm and npx would fetch is the workspace's own; nothing else of them changes.
  const npm = `case "$1" in
    create) shift 2; exec ${program("create-resumable-mcp")} "$@" ;;
    install) [ -e node_modules ] || ln -s "${modules}" node_modules ;;
    *) PATH=\${PATH#*:}; npm=$(command -v npm); PATH="${join(made, "bin")}:$PATH"; exec "$npm" "$@" ;;
  esac`;
  const npx = `case "$1" in
    resumable-mcp) shift; exec ${program("resumable-mcp")} "$@" ;;
    *) program=$1; shift; exec "./node_modules/.bin/$program" "$@" ;;
  esac`;
  mkdirSync(join(made, "bin"));
  for (const [name, script] of Object.entries({ npm, npx })) {
    writeFileSync(join(made, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(made, "bin", name), 0o755);
  }
});
afterAll(async () => {
  await killAll();
  rmSync(made, { recursive: true, force: true, maxRetries: 3 });
});

/** The page's shell block that has a line with this beginning. */
function commands(beginning: string): string {
  const block = blocks.find(
    ({ language, code }) => language === "sh" && code.split("\n").some((line) => line.startsWith(beginning)),
  );
  if (block === undefined) throw new Error(`${page} has no command ${beginning}.`);
  return block.code;
}

const run = (script: string, cwd = project): Promise<string> =>
  start("bash", ["-ec", script], { cwd, env }).succeeded();

/** Writes a file of the page into the project. */
function write(name: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), filesIn(page).get(name) ?? "");
}

/** Makes the changes that the page shows: what begins with `-` becomes what begins with `+`. */
function change(file: string): void {
  for (const { code } of blocks.filter(({ language }) => language === "diff")) {
    const lines = (mark: string) =>
      code
        .split("\n")
        .filter((line) => line.startsWith(mark))
        .map((line) => line.slice(1));
    const text = readFileSync(join(project, file), "utf8");
    expect(text).toContain(lines("-").join("\n"));
    writeFileSync(
      join(project, file),
      text.replace(lines("-").join("\n"), () => lines("+").join("\n")),
    );
  }
}

/** Types lines into a shell, each when what the one before leads to was seen. */
async function typeLines(shell: Program, steps: readonly (readonly [line: string, seen?: RegExp])[]): Promise<void> {
  for (const [line, seen] of steps) {
    shell.child.stdin?.write(`${line}\n`);
    if (seen !== undefined) {
      const all = () => shell.stderr() + shell.stdout();
      await shell.until(`${seen} after ${line}`, () => seen.exec(all()) ?? undefined);
    }
  }
}

const numbersIn = (text: string) => [...text.matchAll(/(\d+)\/49/g)].map(([, number]) => Number(number));
const inOrder = Array.from({ length: 49 }, (_, index) => index + 1);
const shown = new RegExp(
  (blocks.find(({ language }) => language === "text")?.code.trim() ?? "").replace(/\d+(?=})/, "\\d+"),
);

test("the tutorial, step by step: a project, a tool, a kill, a crash test", { timeout: 240_000 }, async () => {
  await run(commands("npm create"), made);
  for (const name of ["checksum-files", "checksum-url"]) write(`src/${name}.ts`);
  change("src/tools.ts");

  const port = await freePort();
  const typed = (block: string) =>
    block.trim().replaceAll("8001", port).replaceAll("serve http src/tools.ts", `$& --port ${port}`).split("\n");
  const [serve = ""] = typed(commands("npx resumable-mcp serve http"));
  const [call = ""] = typed(commands("npx resumable-mcp --url"));
  const [kill = "", again = "", wait = ""] = typed(commands("kill -9 %1"));
  const shell = start("bash", ["-m"], { cwd: project, env, input: true });
  await typeLines(shell, [
    ["trap 'for job in $(jobs -p); do kill -9 -- -$job; done' EXIT"],
    [serve, /listening on /],
    [call, /\b5\/49/],
    [kill],
    [again, /listening on [\s\S]*listening on /],
    [wait, shown],
    [commands("kill %3").trim()],
    ["wait; exit 0"],
  ]);
  expect(await shell.ended).toBe(0);
  expect([...new Set(numbersIn(shell.stderr()))]).toEqual(inOrder);

  write("test/checksum-files.test.ts");
  // Its other test has passed in the first step.
  rmSync(join(project, "test", "crash.test.ts"));
  rmSync(join(project, "dist"), { recursive: true });
  const tested = await run(blocks.find(({ code }) => code === "npm test\n")?.code ?? "exit 1");
  expect(tested).toMatch(/^(?:#|ℹ) pass 1$/m);
});

test("the tutorial, last step: the server is killed in a host, which sees nothing of it", {
  timeout: 240_000,
}, async () => {
  const [build = "", install = ""] = commands("npm run build").trim().split("\n");
  await run(`${build}\n${install} --yes`);
  const config = join(made, "CONFIG", "Claude", "claude_desktop_config.json");
  const { command, args } = Object.values(JSON.parse(readFileSync(config, "utf8")).mcpServers)[0] as {
    command: string;
    args: string[];
  };
  const plain = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ""]));
  const host = new Client({ name: "host", version: "1" });
  await host.connect(new StdioClientTransport({ command, args, cwd: made, env: plain, stderr: "ignore" }));
  const progress: number[] = [];
  const folder = join(project, "node_modules", "zod", "v4", "classic");
  // Of all processes of this machine, the one of this test.
  const kill = commands("kill -9 $(pgrep").replace("dist/src/tools.js", join(project, "dist", "src", "tools.js"));
  const shell = start("bash", [], { cwd: project, env, input: true });
  const result = await host.callTool({ name: "checksum_files", arguments: { folder } }, undefined, {
    timeout: 240_000,
    onprogress: ({ progress: at }) => {
      progress.push(at);
      if (at === 5) shell.child.stdin?.end(kill);
    },
  });
  expect(result.structuredContent).toMatchObject({ files: 49 });
  expect(await shell.ended).toBe(0);
  expect(progress).toEqual(inOrder);
  await host.close();
  await run("npx resumable-mcp uninstall claude-desktop dist/src/tools.js --yes");
  expect(() => readFileSync(config)).toThrow("ENOENT");
});
