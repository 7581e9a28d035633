import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  codeFileVariable,
  freePort,
  kill,
  killAll,
  resizeTerminal,
  run,
  type Spawned,
  startInTerminal,
  startInTerminalWith,
  startServer,
} from "./processes.js";
import { screenOf } from "./screen-of.js";

const enter = "\r";
const escapeKey = "\u001b";
const down = "\u001b[B";
const interrupt = "\u0003";
const leaveScreen = "\u001b[?1049l";
const showCursor = "\u001b[?25h";
const mouseOn = "\u001b[?1000h\u001b[?1006h";
const mouseOff = "\u001b[?1006l\u001b[?1000l";
const answerKey = "\u0019";
const clearScreen = "\u001b[2J\u001b[H";
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

let folder: string;
let gate: string;
let port: number;
let server: Spawned;
let common: readonly string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-"));
  gate = join(folder, "gate");
  port = await freePort();
  server = await startServer(port, join(folder, "store"));
  common = ["--url", `http://127.0.0.1:${port}/mcp`, "--state", join(folder, "state.json")];
});

afterEach(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

describe("the screens in a terminal", () => {
  it("lead from the menu through tool and form to a finished task, and back out", async () => {
    const terminal = startInTerminal(...common);
    await terminal.seen(/process data/);
    await terminal.press("t");
    await terminal.seen(/Counts to a number/);
    await terminal.press(enter);
    await terminal.seen(/Enter send/);
    await terminal.press(enter);
    await terminal.seen(/\(20\/20\)/);
    await terminal.seen(/result: \{"counted":20\}/);
    await terminal.press(escapeKey);
    await terminal.seen(/Ctrl-C leave · 0 exit/);
    await terminal.press("0");
    expect(await terminal.ended).toBe(0);
    expect(terminal.stdout()).toContain(leaveScreen);
  });

  it("have colours and the mouse, and none where NO_COLOR is set and --no-mouse given", async () => {
    const colored = startInTerminal(...common);
    await colored.seen(/process data/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is a control sequence.
    expect(colored.stdout()).toMatch(/\u001b\[(1|3\d)m/);
    expect(colored.stdout()).toContain(mouseOn);
    const plain = startInTerminalWith({ NO_COLOR: "1" }, "--no-mouse", ...common);
    await plain.seen(/process data/);
    expect(plain.stdout()).not.toContain(mouseOn);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
    expect(plain.stdout()).not.toMatch(/\u001b\[\d*m/);
  });

  it("open with what is not finished after the program was killed; Enter opens it", async () => {
    const started = await run("call", "count", "to=20", `gate=${gate}`, "--detach", ...common);
    expect(started.code).toBe(0);
    const first = startInTerminal(...common);
    await first.seen(/1 of your tasks: 1 running\./);
    await kill(first);
    const second = startInTerminal(...common);
    await second.seen(/1 of your tasks:/);
    await second.press(enter);
    await second.seen(/\[timeline\]/);
    await writeFile(gate, "");
    await second.seen(/completed/);
    await second.press(interrupt);
    expect(await second.ended).toBe(130);
  });

  it("show a question as a form and send its answer", async () => {
    await run("call", "confirm", "--detach", ...common);
    const terminal = startInTerminal(...common);
    await terminal.seen(/1 of your tasks:/);
    await terminal.press(enter);
    await terminal.seen(/question \(a answers\): Are you sure\?/);
    await terminal.press("a");
    await terminal.seen(/sure\s*\*/);
    await terminal.press("t");
    await terminal.seen(/‹ true ›/);
    await terminal.press(enter);
    await terminal.seen(/result: \{"action":"accept"/);
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it("draw the whole screen again when the terminal is resized in mid-draw", async () => {
    await run("call", "count", "to=20", `gate=${gate}`, "delay_ms=60", "--detach", ...common);
    const terminal = startInTerminal(...common);
    await terminal.seen(/1 of your tasks:/);
    await terminal.press(enter);
    await terminal.seen(/\[timeline\]/);
    for (const [columns, rows] of [
      [120, 40],
      [50, 12],
      [100, 30],
    ] as const) {
      await terminal.press("");
      await resizeTerminal(terminal, columns, rows);
      // Not what was still being drawn at the size before.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is a control sequence.
      await terminal.seen(/\u001b\[2J\u001b\[H[\s\S]*\[timeline\]/);
    }
    await terminal.press("\t");
    await terminal.seen(/\[log\]/);
    const written = terminal.stdout();
    const lines = await screenOf(written.slice(written.lastIndexOf(clearScreen)), 100, 30);
    expect(lines.filter((line) => line.includes("resumable-mcp ·"))).toHaveLength(1);
    expect([lines.length, lines.at(-1)]).toEqual([29, expect.stringContaining("p pause")]);
    expect(written).not.toContain("\u001b[3J");
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it("take pasted text for no command, and decline a question from any screen", async () => {
    await run("call", "confirm", "--detach", ...common);
    const terminal = startInTerminal(...common);
    await terminal.seen(/Ctrl-Y answers/);
    await terminal.press(paste("cy\rf y\u0003 junk"));
    await terminal.press("m");
    await terminal.seen(/process data/);
    await terminal.press(answerKey);
    await terminal.seen(/\[Answer\]/);
    await terminal.press("\t\u001b[C");
    await terminal.seen(/\[Decline\]/);
    await terminal.press(enter);
    await terminal.seen(/0 exit/);
    await terminal.press("2");
    await terminal.seen(/"action":"decline"/);
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it("give the terminal back when Ctrl-C comes twice, and the task continues", async () => {
    const id = (await run("call", "count", "to=20", `gate=${gate}`, "--detach", ...common)).stdout.trim();
    const terminal = startInTerminal(...common);
    await terminal.seen(/1 of your tasks:/);
    await terminal.press(interrupt + interrupt);
    expect(await terminal.ended).toBe(130);
    expect(terminal.stdout()).toContain(leaveScreen);
    await writeFile(gate, "");
    expect((await run("wait", id, ...common)).code).toBe(0);
  });

  it("are sentences and typed commands where the terminal cannot move a cursor", async () => {
    await run("call", "confirm", "--detach", ...common);
    const terminal = startInTerminalWith({ TERM: "dumb" }, ...common);
    await terminal.seen(/1 of your tasks is not finished\.\s+1\. confirm at \S+ needs input: 50 percent, 1 of 2\./);
    await terminal.seen(/help lists the commands\./);
    await terminal.press("nonsense\n");
    await terminal.seen(/"nonsense" is not a command/);
    await terminal.press("answer 1\n");
    await terminal.seen(/sure \(y\/n\)/);
    await terminal.press("y\n");
    await terminal.seen(/confirm is completed: \{"action":"accept","content":\{"sure":true\}\}/);
    await terminal.press("quit\n");
    expect(await terminal.ended).toBe(0);
    expect(terminal.stdout()).not.toContain("\u001b");
  });

  it("ask on the command line, and keep the prompt while the server is killed and started again", async () => {
    const terminal = startInTerminal("call", "confirm", ...common);
    await terminal.seen(/sure \(y\/n\), - declines the question: /);
    await terminal.press("");
    await kill(server);
    await terminal.seen(/connection lost[^\n]*your answer waits\s[\s\S]*sure \(y\/n\)/);
    await terminal.press("");
    server = await startServer(port, join(folder, "store"));
    await terminal.seen(/connected again\s[\s\S]*sure \(y\/n\)/);
    await terminal.press("y\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.stdout()).toContain('{"action":"accept","content":{"sure":true}}');
  });

  it("say what to start when the server is down, and go on when it is there", async () => {
    await kill(server);
    const terminal = startInTerminal(...common);
    await terminal.seen(/No server answers/);
    await terminal.press(down);
    await terminal.press(interrupt);
    expect(await terminal.ended).toBe(130);
  });

  it.each(["xterm-256color", "dumb"])(
    "end when a terminal (%s) is closed under them, and the task continues",
    async (term) => {
      const id = (await run("call", "count", "to=20", `gate=${gate}`, "--detach", ...common)).stdout.trim();
      const codeFile = join(folder, "code");
      const terminal = startInTerminalWith({ TERM: term, [codeFileVariable]: codeFile }, ...common);
      await terminal.seen(term === "dumb" ? /is not finished/ : /1 of your tasks:/);
      await kill(terminal);
      await expect.poll(() => readFile(codeFile, "utf8").catch(() => "")).toBe("129\n");
      expect(JSON.parse(await readFile(join(folder, "state.json"), "utf8"))).toMatchObject({
        active_tasks: { [id]: {} },
      });
      await writeFile(gate, "");
      const waited = await run("wait", id, ...common);
      expect([waited.code, JSON.parse(waited.stdout)]).toEqual([0, { counted: 20 }]);
    },
  );

  it("give the terminal back when the program itself breaks, and say so in a sentence", async () => {
    const broken = 'process.on("SIGUSR2",()=>{throw new Error("broken on purpose")})';
    const environment = {
      TERM: "xterm-256color",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}`,
    };
    const terminal = startInTerminalWith(environment, ...common);
    const [, pid = ""] = await terminal.seen(/pid (\d+)/);
    await terminal.seen(/process data/);
    process.kill(Number(pid), "SIGUSR2");
    expect(await terminal.ended).toBe(1);
    expect(terminal.stdout()).toContain(mouseOff);
    expect(terminal.stdout()).toContain(leaveScreen);
    expect(terminal.stdout()).toContain("Unexpected error: broken on purpose.");
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])("give the terminal back on %s", async (signal, code) => {
    const terminal = startInTerminal(...common);
    const [, pid = ""] = await terminal.seen(/pid (\d+)/);
    await terminal.seen(/process data/);
    process.kill(Number(pid), signal);
    expect(await terminal.ended).toBe(code);
    expect(terminal.stdout()).toContain(mouseOff);
    const [, after] = terminal.stdout().split(leaveScreen);
    expect(after?.replaceAll(showCursor, "")).toBe("");
  });
});
