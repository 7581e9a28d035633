import { expect, test } from "vitest";
import { decideHandoff } from "./handoff.js";

const nothing = { asked: undefined, option: undefined, host: undefined, toolMs: undefined };

test("a server cannot know who may wait: without a reason no call is handed off", () => {
  expect(decideHandoff(nothing)).toBeUndefined();
  expect(decideHandoff({ ...nothing, host: "some-client" })).toBeUndefined();
  expect(decideHandoff({ ...nothing, host: "constructor" })).toBeUndefined();
});

test("a host with a known limit is handed off before it", () => {
  expect(decideHandoff({ ...nothing, host: "claude-ai" })).toBe(45_000);
  expect(decideHandoff({ ...nothing, host: "claude-ai", toolMs: 300_000 })).toBe(45_000);
  expect(decideHandoff({ ...nothing, host: "claude-ai", toolMs: 5_000 })).toBe(5_000);
  expect(decideHandoff({ ...nothing, host: "claude-ai", option: false })).toBeUndefined();
});

test("what the call asks for wins", () => {
  expect(decideHandoff({ ...nothing, asked: true })).toBe(45_000);
  expect(decideHandoff({ ...nothing, asked: 0, option: false })).toBe(0);
  expect(decideHandoff({ ...nothing, asked: false, option: true, host: "claude-ai" })).toBeUndefined();
  expect(decideHandoff({ ...nothing, asked: true, toolMs: 7 })).toBe(7);
  expect(decideHandoff({ ...nothing, option: true })).toBe(45_000);
});
