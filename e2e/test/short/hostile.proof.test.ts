import { expect, test } from "vitest";
import { panelFrame } from "../../src/look/find-violations.js";
import type { OpenPanel } from "../../src/open-panel.js";
import type { PanelServer } from "../../src/server/panel-server.js";
import { connectClient } from "../../src/server/start-task.js";
import { done, prepareStage } from "../stage.js";

const stage = prepareStage();
const parts = ["Timeline", "Log", "Steps", "Items", "Result"];

/** Opens a part of a task's view. */
async function openPart({ page, panel }: OpenPanel, server: PanelServer, id: string, part: string): Promise<void> {
  await page.goto(new URL(`/ui#/tasks/${id}/${part.toLowerCase()}`, server.origin).href);
  await panel.getByText(id).first().waitFor();
  await panel.getByRole("tab", { name: part, selected: true }).waitFor();
}

test("texts of a hostile tool are shown as text in every view, and nothing of them runs", async () => {
  const server = await stage.serve({ tools: "hostile", flags: ["--ui"] });
  const client = await connectClient(server);
  const asking = await client.start("say_hostile", { ask: true });
  const said = await client.start("say_hostile", { text: "<b>other</b>" });
  const failed = await client.start("fail_hostile").catch(() => undefined);
  const ids = [asking, said, ...(failed === undefined ? [] : [failed])];
  const opened = await stage.openUi(server);
  await opened.panel
    .getByText(/hostile/)
    .first()
    .waitFor();
  expect(["list", await done(opened.page)]).toEqual(["list", []]);
  for (const id of ids) {
    for (const part of parts) {
      await openPart(opened, server, id, part);
      expect([id, part, await done(opened.page)]).toEqual([id, part, []]);
    }
  }
  await openPart(opened, server, asking, "Timeline");
  await opened.panel.getByRole("button", { name: "Answer", exact: true }).waitFor();
  expect(["question", await done(opened.page)]).toEqual(["question", []]);
  await opened.page.goto(new URL("/ui#/server", server.origin).href);
  await opened.panel.getByText("hostile-tools").first().waitFor();
  expect(["server", await done(opened.page)]).toEqual(["server", []]);
});

test("100,000 items, one of 10 MB, and a result of 10 MB are shown in bounded parts", async () => {
  const server = await stage.serve({ tools: "hostile", flags: ["--ui"] });
  const client = await connectClient(server);
  const id = await client.start("flood");
  await expect.poll(() => client.call("get_task", { task_id: id })).toMatchObject({ status: "completed" });
  const opened = await stage.openUi(server);
  for (const part of parts) {
    await openPart(opened, server, id, part);
    const { elements, characters } = await panelFrame(opened.page).evaluate(() => ({
      elements: document.querySelectorAll("*").length,
      characters: document.body.textContent?.length ?? 0,
    }));
    expect([part, elements < 5_000, characters < 1_000_000]).toEqual([part, true, true]);
    expect([part, await done(opened.page)]).toEqual([part, []]);
  }
});
