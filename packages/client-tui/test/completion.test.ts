import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, freePort, killAll, run, start, startServer } from "./processes.js";

let folder: string;
let path: string;
let settings: string;
let taskId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  const port = await freePort();
  await startServer(port, join(folder, "store"));
  await mkdir(join(folder, "bin"));
  await symlink(cli, join(folder, "bin", "resumable-mcp"));
  path = `${join(folder, "bin")}${delimiter}${process.env.PATH}`;
  settings = `--state ${join(folder, "state.json")}`;
  const common = settings.split(" ");
  const url = `http://127.0.0.1:${port}/mcp`;
  await run("servers", "add", url, "--name", "work", ...common);
  taskId = (await run("call", "confirm", "--detach", ...common)).stdout.trim();
});

afterAll(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

/** What a real bash offers for a line, with the cursor at its end. */
const inBash = (line: string) => `
  eval "$(resumable-mcp completion bash)"
  COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}
  eval "set -- $COMP_LINE"; COMP_WORDS=("$@"); [[ "$COMP_LINE" == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _resumable_mcp
  printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What a real fish offers for a line. */
const inFish = (line: string) => `
  resumable-mcp completion fish | source
  complete -C '${line}' | string replace -r '\\t.*' ''; exit 0`;

/** What the function for zsh finds; the widget that shows it needs a terminal. */
const inZsh = (line: string) => `
  compdef() { :; }; _files() { :; }; compadd() { while [[ "$1" != -- ]]; do shift; done; shift; print -l -- "$@"; }
  eval "$(resumable-mcp completion zsh)"
  line='${line}'; words=(\${=line}); [[ "$line" == *' ' ]] && words+=('')
  CURRENT=\${#words}; _resumable_mcp`;

const isInstalled = (shell: string) => {
  try {
    execFileSync(shell, ["-c", "exit 0"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const shells = [
  ["bash", ["--norc"], inBash],
  ["zsh", ["-f"], inZsh],
  ["fish", ["--no-config"], inFish],
] as const;

// Where a shell is missing its script is still read through by the tests of what is offered.
describe.each(shells.filter(([shell]) => shell === "bash" || isInstalled(shell)))("in %s", (shell, options, script) => {
  const offered = async (line: string) => {
    const program = start(shell, [...options, "-c", script(line)], { PATH: path });
    expect(await program.ended).toBe(0);
    return program.stdout().split("\n").filter(Boolean).toSorted();
  };

  it("Tab offers subcommands, options, tools, arguments, servers and tasks", async () => {
    const lines = {
      "resumable-mcp ans": ["answer"],
      "resumable-mcp watch --from": ["--from-start"],
      [`resumable-mcp ${settings} call cou`]: ["count"],
      [`resumable-mcp ${settings} call count `]: ["delay_ms=", "gate=", "to="],
      [`resumable-mcp ${settings} tasks --server w`]: ["work"],
      [`resumable-mcp ${settings} pause `]: [taskId],
    };
    const found = await Promise.all(Object.keys(lines).map(async (line) => [line, await offered(line)] as const));
    expect(Object.fromEntries(found)).toEqual(lines);
  });
});

describe("a shell that is not known", () => {
  it("is answered with those that are", async () => {
    const program = await run("completion", "tcsh");
    expect([program.code, program.stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
  });
});
