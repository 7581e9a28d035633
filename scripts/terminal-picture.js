// Draws docs/images/terminal.svg from the real program: starts two jobs, kills the server, and takes a picture of what
// the terminal client shows when it is opened again. Needs util-linux `script` for a pseudo-terminal.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import xterm from "@xterm/headless";

const columns = 100;
const rows = 12;
const root = new URL("..", import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), "picture-"));
const state = join(folder, "state.json");
const children = new Set();

function start(command, parameters, environment = {}) {
  const child = spawn(command, parameters, { cwd: root, env: { ...process.env, ...environment } });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** Waits until what a stream has said so far matches. */
function said(stream, pattern) {
  return new Promise((resolve) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
  });
}

async function startServer(port) {
  const parameters = [
    "packages/server-http/dist/cli.js",
    "apps/demo/dist/tools.js",
    "--port",
    port,
    "--store",
    join(folder, "store"),
  ];
  const child = start(process.execPath, parameters);
  const [, url] = await said(child.stderr, /listening on (\S+)/);
  return { child, url };
}

function client(url, ...words) {
  return start(process.execPath, ["packages/client-tui/dist/cli.js", "--url", url, "--state", state, ...words]);
}

async function killed(child) {
  const gone = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const palette = ["#45475a", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#f5c2e7", "#94e2d5", "#cdd6f4"];

/** One run of equal cells as a text element. */
function run(text, column, row, cell) {
  const color = cell.isFgPalette() ? palette[cell.getFgColor() % 8] : "#cdd6f4";
  const weight = cell.isBold() ? ' font-weight="bold"' : "";
  const opacity = cell.isDim() ? ' opacity="0.6"' : "";
  const shown = text.replace(/[&<>]/g, (character) => escapes[character]);
  return `<text x="${(16 + column * 8.4).toFixed(1)}" y="${46 + row * 19}" fill="${color}"${weight}${opacity} xml:space="preserve" textLength="${(text.length * 8.4).toFixed(1)}">${shown}</text>`;
}

function look(cell) {
  return [cell.getFgColorMode(), cell.getFgColor(), cell.isBold(), cell.isDim()].join();
}

function draw(terminal) {
  const buffer = terminal.buffer.active;
  const parts = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.viewportY + row);
    let text = "";
    let from = 0;
    let first;
    const flush = () => {
      if (text.trim() !== "") parts.push(run(text.trimEnd(), from, row, first));
    };
    for (let column = 0; column < columns; column++) {
      const cell = line?.getCell(column);
      if (cell === undefined) continue;
      if (first === undefined || look(first) !== look(cell)) {
        flush();
        [text, from, first] = ["", column, cell];
      }
      text += cell.getChars() || " ";
    }
    flush();
  }
  const width = 32 + columns * 8.4;
  const height = 60 + rows * 19;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<title>The terminal client, opened after the server was killed: two unfinished tasks</title>
<rect width="${width}" height="${height}" rx="10" fill="#1e1e2e"/>
<circle cx="20" cy="18" r="6" fill="#f38ba8"/><circle cx="40" cy="18" r="6" fill="#f9e2af"/><circle cx="60" cy="18" r="6" fill="#a6e3a1"/>
${parts.join("\n")}
</svg>
`;
}

try {
  const first = await startServer("0");
  const { port } = new URL(first.url);
  const jobs = [
    client(
      first.url,
      "call",
      "resumable_data_processing",
      "dataset_name=customer_data",
      "total_records=50",
      "batch_size=5",
    ),
    client(first.url, "call", "machine_learning_training", "epochs=200"),
  ];
  await Promise.all([said(jobs[0].stderr, /\(15\/50\)/), said(jobs[1].stderr, /\([1-9]\d*\/200\)/)]);
  await Promise.all([...jobs, first.child].map(killed));
  const second = await startServer(port);
  const command = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' packages/client-tui/dist/cli.js --url ${second.url} --state '${state}'`;
  const { CI, NO_COLOR, ...environment } = process.env;
  const ui = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: root,
    env: { ...environment, TERM: "xterm-256color", COLUMNS: String(columns), LINES: String(rows) },
  });
  children.add(ui);
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  ui.stdout.on("data", (chunk) => terminal.write(chunk));
  await said(ui.stdout, /not finished[\s\S]*interrupted[\s\S]*interrupted/);
  await new Promise((resolve) => terminal.write("", resolve));
  await mkdir(new URL("../docs/images", import.meta.url), { recursive: true });
  await writeFile(
    new URL("../docs/images/terminal.svg", import.meta.url),
    draw(terminal).replaceAll(`:${port}/`, ":8001/"),
  );
  console.log("docs/images/terminal.svg is drawn");
} finally {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
