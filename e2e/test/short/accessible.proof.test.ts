import { expect, test } from "vitest";
import { findViolations, overflowOf, panelFrame } from "../../src/look/find-violations.js";
import { makeStates } from "../../src/look/panel-states.js";
import { gateOf, openGate, prepareStage } from "../stage.js";

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
    await page.goto(new URL("/ui#/", server.origin).href);
    await page.keyboard.press("?");
    await panel.getByText("previous task").waitFor();
    expect(["keys", await findViolations(panelFrame(page))]).toEqual(["keys", []]);
    await page.keyboard.press("Escape");
    await panel.getByRole("button", { name: /Run a tool/ }).click();
    await panel.getByLabel("Tool", { exact: true }).selectOption("count_records");
    await panel.getByLabel(/^to\b/).waitFor();
    expect(["run", await findViolations(panelFrame(page))]).toEqual(["run", []]);
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
