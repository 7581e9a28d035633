// Draws docs/images/terminal.svg from the real program: starts two jobs, kills everything, opens the terminal client on what
// is unfinished, resumes it, kills the server in the middle and starts it again. Needs util-linux `script` for a
// pseudo-terminal.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import { animatedSvg, rowsOf } from "./animated-svg.js";
import { pictureStamp } from "./pictured-sources.js";

const columns = 100;
const rows = 10;
/** What happens faster than this is one frame; nothing waits longer than the other. */
const shortestMs = 150;
const longestMs = 1_800;
const lastMs = 4_000;
const lineTimeoutMs = 60_000;
/** The caption of the frames of which the last is shown where nothing moves. */
const continued = "both continue from their last checkpoint";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "picture-"));
const state = join(folder, "state.json");
const children = new Set();

function start(command, parameters, environment = process.env) {
  const child = spawn(command, parameters, { cwd: root, env: environment });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** Waits until what a stream says from now on matches. */
function said(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`${pattern} did not come; instead: ${text}`)), lineTimeoutMs);
    stream.on("data", (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
  });
}

async function startServer(port) {
  const module = "apps/demo/dist/tools.js";
  const parameters = ["packages/server-http/dist/cli.js", module, "--port", port, "--store", join(folder, "store")];
  const child = start(process.execPath, parameters);
  const [, url] = await said(child.stderr, /listening on (\S+)/);
  return { child, url };
}

function call(url, ...words) {
  const parameters = ["packages/client-tui/dist/cli.js", "--url", url, "--state", state, "call", ...words];
  return start(process.execPath, parameters);
}

async function killed(child) {
  const gone = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

/** Leaves two tasks unfinished, of which nothing runs any more. */
async function leaveUnfinished() {
  const server = await startServer("0");
  const data = ["dataset_name=customer_data", "total_records=60", "batch_size=5", "delay_ms=700"];
  const jobs = [
    call(server.url, "resumable_data_processing", ...data),
    call(server.url, "machine_learning_training", "epochs=60", "delay_ms=150"),
  ];
  await Promise.all([said(jobs[0].stderr, /\(15\/60\)/), said(jobs[1].stderr, /\(1\d\/60\)/)]);
  await Promise.all([...jobs, server.child].map(killed));
  return new URL(server.url).port;
}

/** Opens the terminal client, and keeps a frame of all that it shows. */
function openClient(url, frames) {
  const command = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' packages/client-tui/dist/cli.js --url ${url} --state '${state}'`;
  const { CI, NO_COLOR, ...environment } = process.env;
  const size = { TERM: "xterm-256color", COLUMNS: String(columns), LINES: String(rows) };
  const ui = start("script", ["-qec", command, "/dev/null"], { ...environment, ...size });
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const view = { caption: "$ resumable-mcp", ui, terminal };
  const watchers = new Set();
  const keep = () => {
    frames.push({ rows: rowsOf(terminal), caption: view.caption, atMs: performance.now() });
    for (const watcher of watchers) watcher();
  };
  ui.stdout.on("data", (chunk) => terminal.write(chunk, keep));
  view.says = (caption) => {
    view.caption = caption;
    keep();
  };
  view.shows = (pattern) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${pattern} was not shown:\n${textOf(terminal)}`)),
        lineTimeoutMs,
      );
      const look = () => {
        if (!pattern.test(textOf(terminal))) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return view;
}

function textOf(terminal) {
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: rows }, (_, row) =>
    buffer.getLine(buffer.viewportY + row)?.translateToString(true),
  );
  return lines.join("\n");
}

/** Frames as they are shown: what changed at once in one, and no long wait. */
function paced(kept) {
  const distinct = kept.filter((frame, index) => {
    const before = kept[index - 1];
    return before === undefined || frame.caption !== before.caption || frame.rows.join() !== before.rows.join();
  });
  return distinct.flatMap((frame, index) => {
    const next = distinct[index + 1];
    const ms = next === undefined ? lastMs : Math.round(next.atMs - frame.atMs);
    return ms < shortestMs ? [] : [{ ...frame, ms: Math.min(ms, next === undefined ? lastMs : longestMs) }];
  });
}

async function play(frames) {
  const port = await leaveUnfinished();
  const first = await startServer(port);
  const view = openClient(first.url, frames);
  await view.shows(/2 interrupted[\s\S]*60/);
  // For readers of the picture.
  await sleep(longestMs);
  view.ui.stdin.write("R");
  view.says("R resumes what was interrupted, and asks before");
  await view.shows(/\(y\/n\)/);
  await sleep(longestMs);
  view.ui.stdin.write("y");
  view.says(continued);
  await view.shows(/3[05]\/60/);
  view.says("$ kill -9 the server");
  await killed(first.child);
  await view.shows(/lost|down|reconnect|again|refused/i);
  const second = await startServer(port);
  view.says("$ resumable-mcp serve http tools.mjs: the server is started again");
  await view.shows(/45\/60/);
  view.says("both continue where they were");
  await view.shows(/(60\/60[\s\S]*){2}/);
  await killed(second.child).catch(() => {});
  return port;
}

try {
  const kept = [];
  const port = await play(kept);
  const frames = paced(kept).map((frame) => ({
    ...frame,
    rows: frame.rows.map((row) => row.replaceAll(`:${port}`, ":8001")),
  }));
  const title =
    "The terminal client: two unfinished tasks continue, also when their server is killed and started again";
  const still = frames.findLastIndex(({ caption }) => caption === continued);
  if (still < 0) throw new Error(`No frame is left with the caption "${continued}".`);
  const svg = animatedSvg(frames, { columns, rows, title, still, stamp: pictureStamp() });
  await mkdir(join(root, "docs", "images"), { recursive: true });
  await writeFile(join(root, "docs", "images", "terminal.svg"), svg);
  console.log(`docs/images/terminal.svg is drawn: ${frames.length} frames, ${Math.ceil(svg.length / 1024)} KiB`);
} finally {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
