import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { connectClient, ofAnotherUser } from "../../src/server/start-task.js";
import { enter, tabTo } from "../press-keys.js";
import { archiveFile, gateOf, openGate, prepareStage, records, seesPercent, shownRecords } from "../stage.js";

const stage = prepareStage();
const serve = () => stage.serve({ flags: ["--ui"] });

/** Presses a button that copies; resolves to what is copied. */
async function copied(page: Page, from: Locator): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await from.getByRole("button", { name: "Copy", exact: true }).click();
  await from.getByRole("button", { name: "Copied", exact: true }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

test("with the keyboard alone a task is opened, answered, paused, resumed and cancelled", async () => {
  const server = await serve();
  await openGate(server, 8);
  const client = await connectClient(server);
  const id = await client.start("review_records", { to: 10, gate: gateOf(server), name: "archive" });
  const { page, panel } = await stage.openUi(server);
  const button = (name: string) => panel.getByRole("button", { name, exact: true });
  await enter(page, panel.getByRole("link", { name: /archive/ }));
  const reviewer = panel.getByLabel(/^reviewer/);
  await reviewer.waitFor();
  await tabTo(page, reviewer);
  await page.keyboard.type("Ada");
  await page.keyboard.press("Enter");
  await seesPercent({ panel }, 80);
  await page.keyboard.press("p");
  await openGate(server, 9);
  await panel.getByText("paused").first().waitFor();
  await enter(page, button("Resume"));
  await panel.getByText("running").first().waitFor();
  await page.keyboard.press("c");
  await enter(
    page,
    panel.getByRole("alertdialog").or(panel.getByRole("dialog")).getByRole("button", { name: "Cancel", exact: true }),
  );
  await panel.getByText("cancelled").first().waitFor();
  expect(await client.call("get_task", { task_id: id })).toMatchObject({ status: "cancelled", progress: 9 });
  expect(await client.items(id)).toEqual(records(9));
});

test("in the browser, a task is seen to lose its server and to continue, with each item once", async () => {
  const server = await serve();
  await openGate(server, 3);
  const client = await connectClient(server);
  const id = await client.start("count_records", { to: 10, gate: gateOf(server) });
  const opened = await stage.openUi(server, {}, `/ui#/tasks/${id}/items`);
  await seesPercent(opened, 30);
  await server.kill();
  await opened.panel
    .getByText(/reconnecting/i)
    .first()
    .waitFor();
  await server.start();
  await openGate(server, 10);
  await opened.panel.getByText("completed").first().waitFor();
  await expect.poll(() => shownRecords(opened)).toEqual(records(10));
  expect(await client.items(id)).toEqual(records(10));
  await opened.panel.getByText("attempt 2").first().waitFor();
});

test("a task shows what it called and how far that is, with links both ways", async () => {
  const server = await serve();
  await openGate(server, 2);
  const client = await connectClient(server);
  const id = await client.start("count_archives", { gate: gateOf(server) });
  const { panel } = await stage.openUi(server, {}, `/ui#/tasks/${id}`);
  const calls = panel.getByRole("region", { name: "Calls" });
  await expect.poll(() => calls.getByRole("listitem").allTextContents()).toHaveLength(2);
  await calls.getByRole("listitem").getByText("running").first().waitFor();
  await calls.getByRole("link", { name: "old", exact: true }).click();
  await panel.getByRole("heading", { name: "Count records" }).waitFor();
  await calls.getByText("Called by").waitFor();
  await calls.getByRole("link", { name: "old", exact: true }).click();
  await panel.getByRole("heading", { name: "Count archives" }).waitFor();
  await openGate(server, 4);
  await expect.poll(() => calls.getByText("completed").count()).toBe(2);
  // The two calls are written down in either order.
  const children = expect.arrayContaining(["old", "new"].map((key) => expect.objectContaining({ key })));
  expect(await client.call("get_task", { task_id: id })).toMatchObject({ children });
});

test("a file that a task made is saved with its name and its bytes", async () => {
  const server = await serve();
  await openGate(server, 4);
  const client = await connectClient(server);
  const id = await client.start("count_archives", { gate: gateOf(server) });
  const { page, panel } = await stage.openUi(server, {}, `/ui#/tasks/${id}`);
  const save = panel.getByRole("button", { name: `Save ${archiveFile.name}`, exact: true });
  const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
  const bytes = await readFile(await download.path());
  expect([download.suggestedFilename(), bytes.equals(archiveFile.bytes)]).toEqual([archiveFile.name, true]);
});

test("a page that is loaded again in the middle, and a second tab, show the same task", async () => {
  const server = await serve();
  await openGate(server, 3);
  const client = await connectClient(server);
  const id = await client.start("count_records", { to: 10, gate: gateOf(server) });
  const [first, second] = [
    await stage.openUi(server, {}, `/ui#/tasks/${id}`),
    await stage.openUi(server, {}, `/ui#/tasks/${id}`),
  ];
  await seesPercent(first, 30);
  await seesPercent(second, 30);
  await first.page.reload();
  await openGate(server, 5);
  await seesPercent(first, 50);
  await seesPercent(second, 50);
  await first.panel.getByRole("button", { name: "Pause", exact: true }).click();
  await openGate(server, 6);
  await second.panel.getByText("paused").first().waitFor();
});

test("a tool is run from a form, found by a key, and run once more with other arguments", async () => {
  const server = await serve();
  await openGate(server, 10);
  const { page, panel } = await stage.openUi(server);
  const dialog = panel.getByRole("dialog");
  await panel.getByRole("button", { name: /Run a tool/ }).click();
  await dialog.getByLabel("Tool", { exact: true }).selectOption("count_records");
  await dialog.getByLabel(/^to\b/).fill("many");
  await dialog.getByLabel(/^gate\b/).fill(gateOf(server));
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.getByText(/has to be a/).waitFor();
  await dialog.getByLabel(/^to\b/).fill("2");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  const facts = panel.getByRole("region", { name: "Progress" });
  await facts.getByText("100% (2/2)").waitFor();
  expect(JSON.parse(await copied(page, facts))).toMatchObject({ to: 2, gate: gateOf(server) });
  await page.keyboard.press("r");
  await dialog.getByLabel(/^to\b/).fill("3");
  await dialog.getByRole("button", { name: "Restart", exact: true }).click();
  await facts.getByText("100% (3/3)").waitFor();
  await page.goBack();
  await page.goBack();
  await panel
    .getByRole("link", { name: /Count records/ })
    .nth(1)
    .waitFor();
  await panel.getByLabel("Time", { exact: true }).selectOption("hour");
  await panel.getByText("Last hour: 2 started, 2 ended, 0 failed").waitFor();
  expect(page.url()).toMatch(/range=hour/);
  await page.locator("h1").first().focus();
  for (const key of ["j", "j", "k", "Enter"]) await page.keyboard.press(key);
  await facts.getByText("100% (3/3)").waitFor();
});

test("a task that failed shows its steps on a line of time, where it failed, and its log by a word", async () => {
  const server = await serve();
  await openGate(server, 4);
  const client = await connectClient(server);
  await client.start("fail_records", { to: 3 }).catch(() => undefined);
  await client.start("count_archives", { gate: gateOf(server) });
  const { page, panel } = await stage.openUi(server);
  const part = panel.getByRole("tabpanel");
  await panel.getByRole("link", { name: /Fail at a record/ }).click();
  await panel.getByText("failed", { exact: true }).first().waitFor();
  await panel.getByRole("tab", { name: "Timeline" }).click();
  await part.getByText("Stack", { exact: true }).first().click();
  await part
    .getByText(/at .*panel-tools-module\.js:\d+/)
    .first()
    .waitFor();
  await panel.getByRole("tab", { name: "Steps" }).click();
  const step = part.getByRole("listitem").filter({ hasText: "open the index" });
  await step.getByText("2 attempts").waitFor();
  const bars = [step.locator(".step-bar"), step.locator(".step-bar[data-failed]")];
  expect(await Promise.all(bars.map((bar) => bar.count()))).toEqual([2, 1]);
  await page.goBack();
  await panel.getByRole("link", { name: /Count archives/ }).click();
  await panel.getByRole("tab", { name: "Log" }).click();
  await panel.getByLabel("Search the log").fill("NO INDEX");
  await expect.poll(() => part.getByRole("listitem").count()).toBe(1);
  expect(await copied(page, part)).toMatch(/^\S+ warning The old one has no index$/);
});

test("an operator sorts the tasks of all owners, and finds those of a tool; an id of another's shows the user what an unknown one shows", async () => {
  const server = await stage.serve({ flags: ["--ui", "--owner", "auto"] });
  const client = await connectClient(server, undefined, ofAnotherUser.headers);
  const { client_id } = ofAnotherUser;
  const id = await client.start("count_records", { to: 1, name: "beta", client_id });
  const shown = async (taskId: string): Promise<string> => {
    const { panel } = await stage.openUi(server, {}, `/ui#/tasks/${taskId}`);
    await panel
      .getByText(/not found|no task/i)
      .first()
      .waitFor();
    return ((await panel.getByRole("main").textContent()) ?? "").replaceAll(taskId, "ID");
  };
  expect(await shown(id)).toBe(await shown("0".repeat(id.length)));
  await client.start("fail_records", { to: 3, client_id }).catch(() => undefined);
  await (await connectClient(server)).start("count_records", { to: 3, name: "alpha" });
  const { page, panel } = await stage.openUi(server);
  const sees = (...tasks: readonly string[]) =>
    expect
      .poll(async () => {
        const rows = await panel.locator(".rows-body a").allTextContents();
        return rows.map((row) => /alpha|beta|Fail at a record/.exec(row)?.[0]);
      })
      .toEqual(tasks);
  await sees("alpha");
  await panel.getByLabel("All owners").check();
  await sees("alpha", "Fail at a record", "beta");
  const failures = panel.getByRole("list", { name: "Failed tasks, by tool" });
  await failures.getByRole("button", { name: "1 Fail at a record" }).click();
  await sees("Fail at a record");
  await failures.getByRole("button").click();
  await panel.getByLabel("Tasks of").selectOption("Count records");
  await sees("alpha", "beta");
  const column = panel.getByRole("columnheader", { name: "Task", exact: true });
  for (const [direction, ...order] of [
    ["ascending", "alpha", "beta"],
    ["descending", "beta", "alpha"],
  ] as const) {
    await column.getByRole("button").click();
    await sees(...order);
    expect(await column.getAttribute("aria-sort")).toBe(direction);
  }
  expect(page.url()).toMatch(/sort=task&reverse=yes.*&tool=count_records$/);
  await page.keyboard.press("/");
  await page.keyboard.type("beta");
  await sees("beta");
});
