import { expect, test } from "vitest";
import { revisions } from "../../src/host/reference-host.js";
import { connectClient } from "../../src/server/start-task.js";
import { gateOf, openGate, prepareStage, records, seesPercent, shownRecords } from "../stage.js";

const stage = prepareStage();

test.each(revisions)(
  "in a host, a task is seen to move, to lose its server, and to continue (%s)",
  async (revision) => {
    const server = await stage.serve();
    await openGate(server, 3);
    const host = await stage.openHost(server, { revision });
    await host.page.evaluate((gate) => window.host.callAndShow("count_records", { to: 10, gate }), gateOf(server));
    await seesPercent(host, 30);
    await server.kill();
    await host.panel
      .getByText(/reconnecting/i)
      .first()
      .waitFor();
    await server.start();
    await openGate(server, 6);
    await seesPercent(host, 60);
    await openGate(server, 10);
    await host.panel.getByText("completed").first().waitFor();
    const client = await connectClient(server);
    const id = await onlyTask(client);
    expect(await client.call("get_task", { task_id: id })).toMatchObject({ attempt: 2 });
    expect(await client.items(id)).toEqual(records(10));
    await host.panel.getByRole("tab", { name: /items/i }).click();
    await expect.poll(() => shownRecords(host)).toEqual(records(10));
  },
);

test.each([
  { name: "that takes _meta away", stripMeta: true },
  { name: "that does not say whose view it is", withoutToolInfo: true },
])("in a host $name, the question of a task is answered, and the tool continues", async ({ name: _, ...behaviour }) => {
  const server = await stage.serve();
  await openGate(server, 10);
  const host = await stage.openHost(server, { revision: "2025-11-25", ...behaviour });
  await host.page.evaluate((gate) => window.host.callAndShow("review_records", { to: 10, gate }), gateOf(server));
  await host.panel.getByLabel(/^reviewer/).fill("Ada");
  await host.panel.getByRole("button", { name: "Answer" }).click();
  await host.panel.getByText("completed").first().waitFor();
  const client = await connectClient(server);
  const id = await onlyTask(client);
  expect(await client.call("get_task", { task_id: id, include: ["result"] })).toMatchObject({
    status: "completed",
    result: { structuredContent: { counted: 10, reviewer: "Ada" } },
  });
});

test.each(revisions)(
  "a view that the host removed, and one after a reload of the host, show the task where it is (%s)",
  async (revision) => {
    const server = await stage.serve();
    await openGate(server, 3);
    const host = await stage.openHost(server, { revision });
    await host.page.evaluate((gate) => window.host.callAndShow("count_records", { to: 10, gate }), gateOf(server));
    await seesPercent(host, 30);
    await host.page.evaluate(() => window.host.unload());
    await openGate(server, 5);
    await host.page.evaluate(() => window.host.rebuild());
    await seesPercent(host, 50);
    await host.reload();
    await openGate(server, 8);
    await host.page.evaluate(() => window.host.rebuild());
    // In this revision a request that ends cancels its call, and the task waits for its user.
    if (revision === "2026-07-28") await host.panel.getByRole("button", { name: "Resume" }).click();
    await seesPercent(host, 80);
    await onlyTask(await connectClient(server));
  },
);

/** The id of the only task that this machine's user has. */
async function onlyTask(client: Awaited<ReturnType<typeof connectClient>>): Promise<string> {
  const { tasks } = (await client.call("list_session_tasks")) as {
    readonly tasks: readonly { readonly task_id: string }[];
  };
  expect(tasks).toHaveLength(1);
  return tasks[0]?.task_id ?? "";
}
