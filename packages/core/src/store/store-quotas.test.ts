import { expect, test } from "vitest";
import { checkJournalQuotas } from "./store-quotas.js";

const quotas = { maxJournalEvents: 10, maxJournalBytes: 1_000 };
const full = { events: 11, bytes: 100 };
const restarted = { type: "restarted", generation: 2, fromState: false } as const;
const started = { type: "attempt_started", attempt: 2, worker: "w", toolVersion: "2" } as const;

test("an attempt of another version begins at a quota, so that the task ends by the first commit of its tool (G11)", () => {
  expect(() => checkJournalQuotas(quotas, "t", [restarted, started], full)).not.toThrow();
  const refused = { code: "QUOTA_EXCEEDED", details: { quota: "maxJournalEvents", limit: 10, used: 11, taskId: "t" } };
  for (const event of [restarted, { type: "checkpoint", progress: 1 } as const]) {
    expect(() => checkJournalQuotas(quotas, "t", [event], full)).toThrow(expect.objectContaining(refused));
  }
});
