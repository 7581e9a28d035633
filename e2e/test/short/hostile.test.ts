import { withoutControls } from "@resumable-mcp/protocol/display";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { panelFrame } from "../../src/look/find-violations.js";
import type { OpenPanel } from "../../src/open-panel.js";
import type { PanelServer } from "../../src/server/panel-server.js";
import { connectClient } from "../../src/server/start-task.js";
import { prepareStage } from "../stage.js";

const stage = prepareStage();
const parts = ["Timeline", "Log", "Steps", "Items", "Result"];

/** Opens a part of a task's view. */
async function openPart({ page, panel }: OpenPanel, server: PanelServer, id: string, part: string): Promise<void> {
  await page.goto(new URL(`/ui#/tasks/${id}/${part.toLowerCase()}`, server.origin).href);
  await panel.getByText(id).first().waitFor();
  await panel.getByRole("tab", { name: part, selected: true }).waitFor();
}

/** What a text of a tool did, if it was more than a text. */
async function done(page: Page): Promise<readonly string[]> {
  const frames = await Promise.all(
    page.frames().map((frame) =>
      frame.evaluate(() => ({
        ran: "__canary" in window,
        markup:
          document.querySelectorAll("main :is(script, img, iframe, base, link, style), [href^=javascript]").length > 0,
        text: document.querySelector("main")?.textContent ?? "",
      })),
    ),
  );
  const turned = frames.some(
    ({ text }) => withoutControls(text.replaceAll(/[\n\t]/g, " ")) !== text.replaceAll(/[\n\t]/g, " "),
  );
  return [
    ...(frames.some(({ ran }) => ran) ? ["a script ran"] : []),
    ...(frames.some(({ markup }) => markup) ? ["markup became elements"] : []),
    ...(turned ? ["a control character is shown"] : []),
  ];
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
