import { expect, test } from "vitest";
import { handoffMsOf } from "./run-tool-call.js";

const handoffMs = ({
  asked,
  option,
  host,
  toolMs,
}: {
  asked?: boolean | number;
  option?: boolean;
  host?: string;
  toolMs?: number;
}) => handoffMsOf({ meta: { handoff: asked }, handoff: option, host }, { handoffAfterMs: toolMs });

test("a server cannot know who may wait: without a reason no call is handed off", () => {
  expect(handoffMs({})).toBeUndefined();
  expect(handoffMs({ host: "some-client" })).toBeUndefined();
  expect(handoffMs({ host: "constructor" })).toBeUndefined();
});

test("a host with a known limit is handed off before it", () => {
  expect(handoffMs({ host: "claude-ai" })).toBe(45_000);
  expect(handoffMs({ host: "claude-ai", toolMs: 300_000 })).toBe(45_000);
  expect(handoffMs({ host: "claude-ai", toolMs: 5_000 })).toBe(5_000);
  expect(handoffMs({ host: "claude-ai", option: false })).toBeUndefined();
});

test("what the call asks for wins", () => {
  expect(handoffMs({ asked: true })).toBe(45_000);
  expect(handoffMs({ asked: 0, option: false })).toBe(0);
  expect(handoffMs({ asked: false, option: true, host: "claude-ai" })).toBeUndefined();
  expect(handoffMs({ asked: true, toolMs: 7 })).toBe(7);
  expect(handoffMs({ option: true })).toBe(45_000);
});
