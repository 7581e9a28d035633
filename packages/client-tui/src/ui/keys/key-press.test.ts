import { describe, expect, it } from "vitest";
import { named, typed } from "../../../test/key-presses.js";
import { toKeyPresses } from "./key-press.js";

const plain = { ctrl: false, meta: false };

describe("a key", () => {
  it.each([
    ["upArrow", "up"],
    ["downArrow", "down"],
    ["leftArrow", "left"],
    ["rightArrow", "right"],
    ["pageUp", "pageUp"],
    ["pageDown", "pageDown"],
    ["home", "home"],
    ["end", "end"],
    ["return", "enter"],
    ["escape", "escape"],
    ["tab", "tab"],
    ["backspace", "backspace"],
    ["delete", "backspace"],
  ] as const)("that Ink calls %s is %s", (flag, name) => {
    expect(toKeyPresses("", { ...plain, [flag]: true })).toEqual([named(name)]);
  });

  it("with others held means something of its own, or nothing", () => {
    expect(toKeyPresses("", { ...plain, tab: true, shift: true })).toEqual([named("backtab")]);
    expect(toKeyPresses("c", { ...plain, ctrl: true })).toEqual([named("interrupt")]);
    expect(toKeyPresses("y", { ...plain, ctrl: true })).toEqual([named("question")]);
    expect([toKeyPresses("x", { ...plain, ctrl: true }), toKeyPresses("x", { ...plain, meta: true })]).toEqual([
      [],
      [],
    ]);
  });

  it("types its character, also one that is two to the machine", () => {
    expect(toKeyPresses("a🎉語", plain)).toEqual([typed("a"), typed("🎉"), typed("語")]);
  });
});

describe("several keys that come in one piece", () => {
  it("send no form: only characters, Tab, backspaces and Ctrl-C count", () => {
    expect(toKeyPresses("a\r\n\t\u001bb", plain)).toEqual([typed("a"), named("tab"), typed("b")]);
    expect(toKeyPresses("a\u007f\b\u0003", plain)).toEqual([
      typed("a"),
      named("backspace"),
      named("backspace"),
      named("interrupt"),
    ]);
  });
});
