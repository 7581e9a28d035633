import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const timeoutMs = 60_000;
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens the demo in a terminal of its own. */
function openTerminal() {
  const command = `stty rows 24 cols 100; exec "${process.execPath}" "${program}" --port 0`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm-256color" },
  });
  const closed = once(child, "close");
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += stripVTControlCharacters(text);
  });
  return {
    closed,
    press: (keys: string) => child.stdin.write(keys),
    /** Waits until the text appears that was not there at the call before. */
    async sees(text: string): Promise<void> {
      while (!screen.includes(text)) await Promise.race([once(child.stdout, "data"), closed.then(() => fail(screen))]);
      screen = screen.slice(screen.indexOf(text) + text.length);
    },
  };
}

function fail(screen: string): never {
  throw new Error(`The program ended after: ${screen}`);
}

test("opens the terminal UI, in which the server can be killed and started again", { timeout: timeoutMs }, async () => {
  const terminal = openTerminal();
  await terminal.sees("kill -9 the server");
  terminal.press("k");
  await terminal.sees("was killed with SIGKILL: r starts the server again.");
  terminal.press("r");
  await terminal.sees("The server runs again");
  terminal.press("0");
  expect(await terminal.closed).toEqual([0, null]);
});
