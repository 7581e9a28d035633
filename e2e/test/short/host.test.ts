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

test("in a host, which can save no file, the files of a task have names and no button", async () => {
  const server = await stage.serve();
  await openGate(server, 4);
  const host = await stage.openHost(server, { revision: "2026-07-28" });
  await host.page.evaluate((gate) => window.host.callAndShow("count_archives", { gate }), gateOf(server));
  const files = host.panel.getByRole("region", { name: "Files" });
  await files.getByText(`${archiveFile.name} 97.7 KiB`).waitFor();
  expect(await files.getByRole("button").count()).toBe(0);
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
