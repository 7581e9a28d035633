import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort, kill, killAll, run, type Spawned, startInTerminal, startServer } from "./processes.js";

const limits = { timeout: 60_000 };
const enter = "\r";
const escapeKey = "\u001b";
const down = "\u001b[B";
const interrupt = "\u0003";
const leaveScreen = "\u001b[?1049l";

let folder: string;
let gate: string;
let server: Spawned;
let common: readonly string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-"));
  gate = join(folder, "gate");
  const port = await freePort();
  server = await startServer(port, join(folder, "store"));
  common = ["--url", `http://127.0.0.1:${port}/mcp`, "--state", join(folder, "state.json")];
}, limits.timeout);

afterEach(async () => {
  await killAll();
  await rm(folder, { recursive: true });
});

describe("the screens in a terminal", () => {
  it("lead from the menu through tool and form to a finished task, and back out", limits, async () => {
    const terminal = startInTerminal(...common);
    await terminal.seen(/process data/);
    await terminal.press("1");
    await terminal.seen(/Counts to a number/);
    await terminal.press(enter);
    await terminal.seen(/Enter send/);
    await terminal.press(enter);
    await terminal.seen(/\(20\/20\)/);
    await terminal.seen(/result: \{"counted":20\}/);
    await terminal.press(escapeKey);
    await terminal.seen(/0 exit · Ctrl-C/);
    await terminal.press("0");
    expect(await terminal.ended).toBe(0);
    expect(terminal.stdout()).toContain(leaveScreen);
  });

  it("open with what is not finished after both sides were killed; Enter resumes all", limits, async () => {
    const started = await run("call", "count", "to=20", `gate=${gate}`, "--detach", ...common);
    expect(started.code).toBe(0);
    const first = startInTerminal(...common);
    await first.seen(/1 of your tasks is not finished: resume, watch, cancel\?/);
    await kill(first);
    const second = startInTerminal(...common);
    await second.seen(/1 of your tasks is not finished/);
    await second.press(enter);
    await second.seen(/Tasks 1-1 of 1/);
    await writeFile(gate, "");
    await second.seen(/completed/);
    await second.press(interrupt);
    expect(await second.ended).toBe(130);
  });

  it("show a question as a form and send its answer", limits, async () => {
    await run("call", "confirm", "--detach", ...common);
    const terminal = startInTerminal(...common);
    await terminal.seen(/is not finished/);
    await terminal.press("w");
    await terminal.seen(/asks: Are you sure\?/);
    await terminal.press("a");
    await terminal.seen(/sure\s*\*/);
    await terminal.press("t");
    await terminal.seen(/‹ true ›/);
    await terminal.press(enter);
    await terminal.seen(/result: \{"action":"accept"/);
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it("say what to start when the server is down, and go on when it is there", limits, async () => {
    await kill(server);
    const terminal = startInTerminal(...common);
    await terminal.seen(/No server answers/);
    await terminal.press(down);
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it("give the terminal back on SIGTERM", limits, async () => {
    const terminal = startInTerminal(...common);
    const [, pid = ""] = await terminal.seen(/pid (\d+)/);
    await terminal.seen(/process data/);
    process.kill(Number(pid), "SIGTERM");
    await terminal.ended;
    expect(terminal.stdout()).toContain(leaveScreen);
  });
});
