import { expect, test } from "vitest";
import { findViolations, overflowOf, panelFrame } from "../../src/look/find-violations.js";
import { connectClient, ofAnotherUser } from "../../src/server/start-task.js";
import { enter, tabTo } from "../press-keys.js";
import { done, gateOf, openGate, prepareStage, seesPercent } from "../stage.js";

const stage = prepareStage();
const parts = ["Timeline", "Log", "Steps", "Items", "Result"];

test.each(["light", "dark"] as const)(
  "axe finds nothing in the views of a host, whose theme they follow (%s)",
  async (theme) => {
    const server = await stage.serve();
    await openGate(server, 5);
    const host = await stage.openHost(server, { revision: "2026-07-28", theme: theme === "light" ? "dark" : "light" });
    await host.page.evaluate((gate) => window.host.callAndShow("review_records", { to: 10, gate }), gateOf(server));
    await host.panel.getByText("Who reviews the second half?").first().waitFor();
    await host.page.evaluate((changed) => window.host.setTheme(changed), theme);
    const scheme = () => panelFrame(host.page).evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await expect.poll(scheme).toBe(theme);
    for (const part of parts) {
      await host.panel.getByRole("tab", { name: part }).click();
      expect([part, await findViolations(panelFrame(host.page))]).toEqual([part, []]);
      for (const width of [320, 1600, 900]) {
        await host.page.setViewportSize({ width, height: 800 });
        expect([part, width, await overflowOf(panelFrame(host.page))]).toEqual([part, width, 0]);
      }
    }
  },
);

test("in a host, the keyboard alone answers, pauses, resumes and cancels", async () => {
  const server = await stage.serve();
  await openGate(server, 8);
  const host = await stage.openHost(server, { revision: "2025-11-25" });
  await host.page.evaluate((gate) => window.host.callAndShow("review_records", { to: 10, gate }), gateOf(server));
  const button = (name: string) => host.panel.getByRole("button", { name, exact: true });
  const reviewer = host.panel.getByLabel(/^reviewer/);
  await tabTo(host.page, reviewer);
  await host.page.keyboard.type("Ada");
  await host.page.keyboard.press("Enter");
  await seesPercent(host, 80);
  await enter(host.page, button("Pause"));
  await openGate(server, 9);
  await host.panel.getByText("paused").first().waitFor();
  await enter(host.page, button("Resume"));
  await host.panel.getByText("running").first().waitFor();
  await enter(host.page, button("Cancel"));
  await enter(host.page, host.panel.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }));
  await host.panel.getByText("cancelled").first().waitFor();
});

test("in a host that asks for German, the panel speaks it", async () => {
  const server = await stage.serve();
  await openGate(server, 3);
  const host = await stage.openHost(server, { revision: "2026-07-28", locale: "de-DE" });
  await host.page.evaluate((gate) => window.host.callAndShow("count_records", { to: 10, gate }), gateOf(server));
  await host.panel.getByRole("button", { name: "Pausieren" }).waitFor();
  expect(await panelFrame(host.page).evaluate(() => document.documentElement.lang)).toBe("de");
});

test("in a host, texts of a hostile tool are shown as text in every part, and nothing of them runs", async () => {
  const server = await stage.serve({ tools: "hostile" });
  const host = await stage.openHost(server, { revision: "2026-07-28" });
  await host.page.evaluate(() => window.host.callAndShow("say_hostile", { ask: true }));
  await host.panel.getByRole("button", { name: "Answer", exact: true }).waitFor();
  for (const part of parts) {
    await host.panel.getByRole("tab", { name: part }).click();
    expect([part, await done(host.page)]).toEqual([part, []]);
  }
});

test("a view in a host reaches no task of another owner", async () => {
  const server = await stage.serve();
  const client = await connectClient(server, undefined, ofAnotherUser.headers);
  const id = await client.start("count_records", { to: 1, client_id: ofAnotherUser.client_id });
  const host = await stage.openHost(server, { revision: "2026-07-28" });
  const answers = await host.page.evaluate(
    ([own, unknown]) =>
      Promise.all(
        [own, unknown].map(async (task_id) => (await window.host.call("get_task_journal", { task_id })).content),
      ),
    [id, "0".repeat(id.length)] as const,
  );
  const [foreign, unknown] = answers.map((content) => JSON.stringify(content));
  expect(foreign?.replaceAll(id, "ID")).toBe(unknown?.replaceAll("0".repeat(id.length), "ID"));
});
