import { createEngine, createMemoryStore, isJsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { countTool, createGate } from "../../test/counting-tool.js";
import { type Call, parseCallMeta } from "./call.js";
import { followCall } from "./follow-call.js";

/** A caller whose first notification leaves only when the task has finished and `whileNotified` is over. */
async function slowCall(whileNotified: () => void) {
  const gate = createGate();
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool(gate)] });
  onTestFinished(() => engine.close());
  const tasks = engine.forOwner("sub:ada");
  const begun = await tasks.start({ tool: "count_to", input: { n: 2 }, detached: true });
  const leave = new AbortController();
  const shown: unknown[] = [];
  const shownSeqs: unknown[] = [];
  const follow: OwnedTasks["follow"] = (id, options) => {
    gate.open();
    return tasks.follow(id, options);
  };
  const call: Call = {
    engine,
    era: "2025",
    tasks: { ...tasks, follow },
    meta: parseCallMeta({ progressToken: 1 }),
    requestId: 1,
    signal: leave.signal,
    left: () => "gone",
    notify: async ({ params }) => {
      shown.push(params.progress);
      if (isJsonObject(params._meta)) shownSeqs.push(params._meta[metaKeys.seq]);
      if (shown.length > 1) return;
      gate.open();
      await tasks.wait(begun.record.id);
      whileNotified();
    },
    wantsLog: () => false,
    carry: () => {},
    prefix: "",
    rights: { token: undefined, locality: { local: true } },
  };
  return { call, begun, shown, shownSeqs, leave };
}

test("G5 a caller whose time ends with the task is shown what led to the result before it gets the result", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { call, begun, shown } = await slowCall(() => vi.advanceTimersByTime(1_000));
  const { reason, view, seenSeq } = await followCall(call, begun, 1_000);
  expect({ reason, shown, isAllSeen: seenSeq === view.record.lastSeq }).toEqual({
    reason: "finished",
    shown: [1, 2],
    isAllSeen: true,
  });
});

test("a caller that left has seen the events up to the last one that it was shown", async () => {
  const { call, begun, shown, shownSeqs, leave } = await slowCall(() => leave.abort());
  const { reason, view, seenSeq } = await followCall(call, begun, undefined);
  expect({ reason, shown, status: view.record.status, seenSeqs: [seenSeq] }).toEqual({
    reason: "left",
    shown: [1],
    status: "completed",
    seenSeqs: shownSeqs,
  });
});

test("a time that no timer can hold is long, and not over at once (F15)", async () => {
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => setTimer.mockRestore());
  const { call, begun } = await slowCall(() => {});
  expect((await followCall(call, begun, 2 ** 31)).reason).toBe("finished");
  const delays = setTimer.mock.calls.map(([, delayMs]) => delayMs ?? 0);
  expect(Math.max(...delays)).toBe(2 ** 31 - 1);
});
