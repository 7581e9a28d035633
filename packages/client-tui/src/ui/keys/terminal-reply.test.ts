import { describe, expect, it } from "vitest";
import { backgroundFromEnvironment, type ReplyState, takeReply } from "./terminal-reply.js";

describe("what a terminal says of its background", () => {
  const take = (...inputs: readonly (readonly [input: string, meta?: boolean])[]) => {
    let state: ReplyState;
    return inputs.map(([input, meta = false]) => {
      const step = takeReply(state, input, meta);
      state = step?.state;
      return step === undefined ? "a key" : (step.background ?? "part");
    });
  };
  const begin = ["]", true] as const;

  it.each([
    ["11;rgb:1e1e/1e1e/2e2e\u0007", "dark"],
    ["11;rgb:ffff/ffff/ffff\u0007", "light"],
    ["11;rgb:fa/f4/ed\u0007", "light"],
    ["11;rgb:nothing\u0007", "part"],
  ])("%j is %s", (reply, background) => {
    expect(take(begin, [reply])).toEqual(["part", background]);
  });

  it("is gathered from pieces, and ends with either terminator", () => {
    expect(take(begin, ["11;rgb:ff"], ["ff/ffff/ffff"], ["\\", true])).toEqual(["part", "part", "part", "light"]);
  });

  it("is no longer waited for when something else is typed", () => {
    expect(take(begin, ["q"], ["q"])).toEqual(["part", "a key", "a key"]);
    expect(take(begin, ["1"], ["2"])).toEqual(["part", "a key", "a key"]);
    expect(take(["]"])).toEqual(["a key"]);
    expect(take(begin, [`11;rgb:${"f".repeat(80)}`])).toEqual(["part", "a key"]);
  });

  it.each([
    ["15;0", "dark"],
    ["0;15", "light"],
    ["0;default;7", "light"],
    ["0;default", undefined],
    [undefined, undefined],
  ])("COLORFGBG=%s means %s", (COLORFGBG, background) => {
    expect(backgroundFromEnvironment({ COLORFGBG })).toBe(background);
  });
});
