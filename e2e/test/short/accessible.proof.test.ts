import { expect, test } from "vitest";
import { findViolations, overflowOf, panelFrame } from "../../src/look/find-violations.js";
import { makeStates } from "../../src/look/panel-states.js";
import { connectClient } from "../../src/server/start-task.js";
import { archiveFile, gateOf, openGate, prepareStage } from "../stage.js";

const stage = prepareStage();

test.each(["light", "dark"] as const)(
  "axe finds nothing in any view, and no view is wider than its window (%s)",
  async (colorScheme) => {
    const server = await stage.serve({ flags: ["--ui"] });
    await openGate(server, 25);
    const states = await makeStates(server, gateOf(server));
    const { page, panel } = await stage.openUi(server, { colorScheme, reducedMotion: "reduce" });
    for (const { name, path, shows } of states) {
      await page.goto(new URL(path, server.origin).href);
      await panel.getByText(shows).first().waitFor();
      expect([name, await findViolations(panelFrame(page))]).toEqual([name, []]);
      for (const width of [320, 1600, 900]) {
        await page.setViewportSize({ width, height: 800 });
        expect([name, width, await overflowOf(panelFrame(page))]).toEqual([name, width, 0]);
      }
    }
    const go = (path: string) => page.goto(new URL(path, server.origin).href);
    /** Looks once a text is there, and closes what is open. */
    const look = async (name: string, text: string | RegExp): Promise<void> => {
      await panel.getByText(text).first().waitFor();
      expect([name, await findViolations(panelFrame(page))]).toEqual([name, []]);
      await page.keyboard.press("Escape");
    };
    await go("/ui#/");
    await page.keyboard.press("?");
    await look("keys", "previous task");
    await panel.getByRole("button", { name: /Run a tool/ }).click();
    await panel.getByLabel("Tool", { exact: true }).selectOption("count_records");
    await look("run", /^to\b/);
    await panel.getByLabel("All owners").check();
    await look("all owners", "These are the tasks of all owners.");
    await panel.getByLabel("All owners").uncheck();
    await panel.getByRole("columnheader", { name: "Status" }).getByRole("button").click();
    await panel.locator("[aria-sort=ascending]").waitFor();
    await look("sorted", "parish register");
    await go(states.find(({ name }) => name === "failed")?.path ?? "");
    await panel.getByRole("tab", { name: "Timeline" }).click();
    await panel.getByText("Stack", { exact: true }).first().click();
    await look("stack", /panel-tools-module\.js:\d+/);
    const client = await connectClient(server);
    const id = await client.start("count_archives", { gate: gateOf(server) });
    await go(`/ui#/tasks/${id}`);
    await look("calls and files", archiveFile.name);
    await page.keyboard.press("r");
    await look("restart", /^gate\b/);
    await panel.getByRole("button", { name: "Delete", exact: true }).click();
    await look("confirm", /^Delete this task\?/);
  },
);

test("nothing moves by itself where the user asks for reduced motion", async () => {
  const server = await stage.serve({ flags: ["--ui"] });
  await openGate(server, 25);
  const [, running] = await makeStates(server, gateOf(server));
  const { page, panel } = await stage.openUi(server, { reducedMotion: "reduce" }, running?.path);
  await panel.getByRole("progressbar").waitFor();
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().endTime ?? 0) > 1)
      .map(({ id }) => id),
  );
  expect(moving).toEqual([]);
});
