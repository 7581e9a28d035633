import { expect, test } from "vitest";
import { revisions } from "../../src/host/reference-host.js";
import { archiveFile, gateOf, openGate, prepareStage } from "../stage.js";

const stage = prepareStage();

test.each(revisions)(
  "a host without apps is listed no app, no tool for apps, and calls tools as ever (%s)",
  async (revision) => {
    const server = await stage.serve();
    const host = await stage.openHost(server, { revision, apps: false });
    expect(await host.page.evaluate(() => window.host.listed())).toEqual(
      [
        ...["count_records", "review_records", "fail_records", "count_archives"],
        ...["wait_for_task", "resume_task", "cancel_task", "answer_task", "list_session_tasks"],
      ].map((name) => ({ name, app: null, visibility: null })),
    );
    const { structuredContent } = await host.page.evaluate(() => window.host.call("count_records", { to: 3 }));
    expect(structuredContent).toEqual({ counted: 3 });
  },
);

test("in a host, a task shows its arguments, files, steps, log and calls, and is restarted from a form", async () => {
  const server = await stage.serve();
  await openGate(server, 4);
  const { page, panel } = await stage.openHost(server, { revision: "2026-07-28" });
  let find = (): void => {};
  const found = new Promise<void>((resolve) => {
    find = resolve;
  });
  await page.route(server.url, async (route) => {
    if (route.request().postData()?.includes('"find_task"')) await found;
    await route.continue();
  });
  await page.evaluate((gate) => window.host.callAndShow("count_archives", { gate }), gateOf(server));
  await panel.getByText("Waiting for the task of Count archives…").waitFor();
  find();
  const files = panel.getByRole("region", { name: "Files" });
  await files.getByText(`${archiveFile.name} 97.7 KiB`).waitFor();
  // A host can save no file.
  expect(await files.getByRole("button").count()).toBe(0);
  await panel.getByRole("region", { name: "Progress" }).getByText(gateOf(server)).waitFor();
  const part = panel.getByRole("tabpanel");
  await panel.getByRole("tab", { name: "Steps" }).click();
  await expect.poll(() => part.locator("[data-kind=call] .step-bar").count()).toBe(2);
  await panel.getByRole("tab", { name: "Log" }).click();
  await panel.getByLabel("Search the log").fill("NO INDEX");
  await expect.poll(() => part.getByRole("listitem").allTextContents()).toHaveLength(1);
  const calls = panel.getByRole("region", { name: "Calls" });
  await expect.poll(() => calls.getByText("Count records").count()).toBe(2);
  await calls.getByRole("link", { name: "old", exact: true }).click();
  await panel.getByRole("heading", { name: "Count records" }).waitFor();
  await calls.getByRole("link", { name: "old", exact: true }).click();
  await panel.getByRole("heading", { name: "Count archives" }).waitFor();
  const id = panel.locator(".task-id");
  const before = await id.textContent();
  await page.keyboard.press("r");
  const form = panel.getByRole("dialog");
  expect(await form.getByLabel(/^gate\b/).inputValue()).toBe(gateOf(server));
  await form.getByRole("button", { name: "Restart", exact: true }).click();
  await expect.poll(() => id.textContent()).not.toBe(before);
  await calls.getByText("completed").nth(1).waitFor();
});

test.each(revisions)(
  "a host with apps is listed the panel for each long tool, and the tools that only apps call (%s)",
  async (revision) => {
    const server = await stage.serve();
    const host = await stage.openHost(server, { revision });
    const listed = await host.page.evaluate(() => window.host.listed());
    const app = "ui://resumable-mcp/panel";
    expect(listed.filter((tool) => tool.app === app).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "count_records",
        "review_records",
        "fail_records",
        "wait_for_task",
        "list_session_tasks",
      ]),
    );
    const forApps = listed.filter(({ visibility }) => visibility?.join() === "app").map(({ name }) => name);
    expect(forApps).toEqual(
      expect.arrayContaining(["get_task", "find_task", "get_task_journal", "get_task_items", "pause_task"]),
    );
  },
);
