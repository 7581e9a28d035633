// Prints the figures of the panel: `npm run figures`. docs/panel.md has them, with the machine.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { openBrowser } from "@resumable-mcp/browser";
import type { Page } from "playwright-core";
import { openUi } from "../open-panel.js";
import { startPanelServer } from "../server/panel-server.js";
import { connectClient } from "../server/start-task.js";

const tasks = 1_000;
const startedAtOnce = 50;
/** The time between two checkpoints of a task. */
const paceMs = 5_000;
const loads = 9;
const watchMs = 20_000;
const frameMs = 33;

const html = await readFile(
  join(dirname(createRequire(import.meta.url).resolve("@resumable-mcp/panel/package.json")), "dist", "panel.html"),
);
say("size of the page", `${kilobytes(html.length)} kB, ${kilobytes(gzipSync(html, { level: 9 }).length)} kB with gzip`);

const browser = await openBrowser();
// The server, which is a process of its own, inherits it.
process.env.RESUMABLE_MCP_MAX_RUNNING_PER_OWNER = String(tasks);
const server = await startPanelServer({ tools: "many", flags: ["--ui", "--max-running", String(tasks)] });
try {
  const { page } = await openUi(browser, server);
  const paints: number[] = [];
  for (let load = 0; load < loads; load++) paints.push(await firstPaint(page));
  paints.sort((one, other) => one - other);
  say(
    "first contentful paint",
    `${paints[0]?.toFixed(0)} / ${paints[loads >> 1]?.toFixed(0)} / ${paints.at(-1)?.toFixed(0)} ms (least, median, most of ${loads})`,
  );
  const client = await connectClient(server);
  for (let started = 0; started < tasks; started += startedAtOnce) {
    const numbers = Array.from({ length: startedAtOnce }, (_, index) => started + index);
    await Promise.all(numbers.map((number) => client.start("move", { name: `task ${number}`, pace_ms: paceMs })));
  }
  await page.goto(new URL("/ui#/", server.origin).href);
  await page.reload();
  await page.getByText("task 999").first().waitFor();
  const frames = await watchFrames(page);
  const late = frames.filter((ms) => ms > frameMs).length;
  say(
    `frames while ${tasks} tasks move`,
    `${frames.length} in ${watchMs / 1_000} s, ${(100 - (100 * late) / frames.length).toFixed(2)} % within ${frameMs} ms, longest ${Math.max(...frames).toFixed(0)} ms`,
  );
} finally {
  await Promise.all([browser.close(), server.remove()]);
}

function say(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure}\n`);
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}

/** Milliseconds from the start of the navigation to the first text. */
async function firstPaint(page: Page): Promise<number> {
  await page.reload({ waitUntil: "networkidle" });
  return page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN);
}

/** The times between frames, in milliseconds. */
function watchFrames(page: Page): Promise<readonly number[]> {
  return page.evaluate(
    (watched) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const start = performance.now();
        let last = start;
        const frame = (now: number): void => {
          times.push(now - last);
          last = now;
          if (now - start < watched) requestAnimationFrame(frame);
          else resolve(times.slice(1));
        };
        requestAnimationFrame(frame);
      }),
    watchMs,
  );
}
