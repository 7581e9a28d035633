import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { openBrowser } from "@resumable-mcp/browser";
import { expect, onTestFinished, test } from "vitest";

const timeoutMs = 120_000;
const demo = dirname(createRequire(import.meta.url).resolve("@resumable-mcp/demo/package.json"));

test("a button of the demo kills the server, and the panel shows how the job continues to its end", {
  timeout: timeoutMs,
}, async () => {
  const child = spawn(process.execPath, [join(demo, "dist", "index.js"), "--browser", "--no-open"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const complaint = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const saw = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value = "", done } = await lines.next();
      if (done === true) throw new Error(`The demo ended without ${pattern}: ${await complaint}`);
      const [all, group = all] = pattern.exec(value) ?? [];
      if (group !== undefined) return group;
    }
  };
  const address = await saw(/Open (\S+) /);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(address);
  const panel = page.frameLocator("iframe");
  const progress = panel.getByRole("progressbar").first();
  await expect.poll(() => progress.getAttribute("aria-valuenow")).not.toBe("0");
  await page.getByRole("button", { name: "Kill the server" }).click();
  await panel
    .getByText(/reconnecting/i)
    .first()
    .waitFor();
  await page.getByText("No server runs.").waitFor();
  await page.getByRole("button", { name: "Start the server again" }).click();
  expect(await saw(/^\d+ of \d+ records.*$/)).toBe("50 of 50 records, 0 repeated, 0 lost");
  await panel.getByText("completed").first().waitFor();
  await page.getByText("50 of 50 records, 0 repeated, 0 lost").waitFor();
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});
