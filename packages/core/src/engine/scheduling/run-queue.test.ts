import { expect, it } from "vitest";
import { createManualClock } from "../../testing/manual-clock.js";
import type { Environment } from "../environment.js";
import { silentTelemetry } from "../telemetry.js";
import { RunQueue } from "./run-queue.js";

it("offers calls also after some left the queue before their time", async () => {
  const clock = createManualClock();
  const offered: string[] = [];
  const limits = { maxRunning: 1, maxRunningPerOwner: 1, offerAfterMs: 1_000, maxWaitingInPlace: 1 };
  const tools = { runnable: new Map([["job", {}]]) };
  const environment = { clock, limits, limitRules: {}, telemetry: silentTelemetry, tools } as unknown as Environment;
  const queue = new RunQueue(environment, {
    serve: () => new Promise(() => {}),
    offer: async (taskId) => void offered.push(taskId),
    noteCompany: async () => {},
    toolLimits: { isLimited: () => false, waitOf: () => undefined },
  });
  const add = (id: string): void => {
    queue.add({ id, owner: "client:test", tool: "job", crashes: 0 });
    queue.pump();
  };
  for (const id of ["runs", "cancelled"]) add(id);
  queue.remove("cancelled");
  await clock.advance(1_000);
  add("waits");
  await clock.advance(1_000);
  expect(offered).toEqual(["waits"]);
});
