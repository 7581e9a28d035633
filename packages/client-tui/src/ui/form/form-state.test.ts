import { describe, expect, it } from "vitest";
import { nestedShape, plainShape } from "../../../test/form-shapes.js";
import { named, pasted, typed } from "../../../test/key-presses.js";
import type { KeyPress } from "../keys/key-press.js";
import { maxListEntries } from "./form-draft.js";
import { type FormState, initialFormState, reduceForm } from "./form-state.js";

describe("a form", () => {
  const first = initialFormState(plainShape, { name: "before" });
  const fill = (from: FormState, ...keys: KeyPress[]) =>
    keys.reduce((state, press) => reduceForm(state, press, plainShape).state, from);

  it("goes to the first field that is wrong, and is sent when all are right", () => {
    const wrong = reduceForm(first, named("enter"), plainShape);
    expect([wrong.outcome, wrong.state.focus, wrong.state.errors]).toEqual([undefined, 2, { "/sure": "is required" }]);
    const right = reduceForm(wrong.state, typed("t"), plainShape);
    expect(right.state.errors).toEqual({});
    expect(reduceForm(right.state, named("enter"), plainShape).outcome).toEqual({
      type: "press",
      button: "run",
      values: { n: 5, name: "before", sure: true, kind: "a" },
    });
  });

  it("says what is wrong with a field as one types, and not what one has not come to yet", () => {
    expect(fill(first, named("backspace"), typed("x")).errors).toEqual({ "/n": "has to be a number" });
    expect(fill(first, named("backspace")).errors).toEqual({});
  });

  it("replaces what was filled in by what is typed first, and lets Backspace and more keys edit it", () => {
    const texts = [
      fill(first, typed("2"), typed("9")),
      fill(first, named("backspace"), typed("9")),
      fill(first, named("down"), named("up"), typed("7")),
    ].map(({ texts: { "/n": text } }) => text);
    expect(texts).toEqual(["29", "9", "7"]);
    expect(fill(first, named("left")).texts["/n"]).toBe("5");
  });

  it("says what is wrong with a value while other fields are still empty", () => {
    const bounded = {
      schema: {
        type: "object",
        properties: { n: { type: "integer", minimum: 1, maximum: 5 }, name: { type: "string" } },
        required: ["n", "name"],
      },
      buttons: plainShape.buttons,
    };
    const { state } = [typed("2"), typed("9")].reduce((step, press) => reduceForm(step.state, press, bounded), {
      state: initialFormState(bounded),
    });
    expect(state.errors).toEqual({ "/n": "has to be at most 5" });
  });

  it("goes round the options of a choice, with an empty one where that is allowed", () => {
    const down = [named("down"), named("down"), named("down")];
    expect(fill(first, ...down, named("right")).texts["/kind"]).toBe("b");
    expect(fill(first, ...down, named("right"), named("right")).texts["/kind"]).toBe("");
  });

  it("takes a paste as text, whatever is in it", () => {
    const edited = fill(first, named("down"), named("backspace"));
    expect(fill(edited, pasted("e and more")).texts["/name"]).toBe("before and more");
  });

  it("can be left by a button that sends nothing, however wrong it is", () => {
    const chosen = fill(first, ...Array.from({ length: 5 }, () => named("down")), named("right"));
    expect(reduceForm(chosen, named("enter"), plainShape).outcome).toEqual({ type: "press", button: "no", values: {} });
  });

  it("goes by Tab and back by Shift-Tab, to the buttons and no further", () => {
    const focus = (...keys: KeyPress[]) => fill(first, ...keys).focus;
    const tabs = Array.from({ length: 9 }, () => named("tab"));
    expect([focus(named("tab")), focus(named("tab"), named("backtab")), focus(named("up")), focus(...tabs)]).toEqual([
      1, 0, 0, 5,
    ]);
  });

  it("is left by Escape with nothing sent", () => {
    expect(reduceForm(first, named("escape"), plainShape)).toEqual({ state: first, outcome: { type: "back" } });
  });

  it("goes to the option that begins with what is typed, and stays where none does", () => {
    const down = [named("down"), named("down"), named("down")];
    expect([fill(first, ...down, typed("b")).texts["/kind"], fill(first, ...down, typed("z")).texts["/kind"]]).toEqual([
      "b",
      "a",
    ]);
  });

  it("takes back one whole character by Backspace, also of those that are two to the machine", () => {
    const emoji = { ...first, focus: 1, texts: { ...first.texts, "/name": "a🎉" } };
    expect(fill(emoji, named("backspace")).texts["/name"]).toBe("a");
  });
});

describe("a form of nested arguments", () => {
  it("adds entries to a list and takes the last away", () => {
    const press = (state: FormState, ...keys: KeyPress[]) =>
      keys.reduce((now, next) => reduceForm(now, next, nestedShape).state, state);
    const atList = press(initialFormState(nestedShape), named("down"), named("down"));
    const two = press(atList, named("right"), typed("+"));
    expect([two.counts["/people"], press(two, named("left")).counts["/people"]]).toEqual([2, 1]);
  });

  it("passes over what only holds fields", () => {
    const start = initialFormState(nestedShape, { people: [{ name: "x" }] });
    const foci = [1, 2, 3, 4].map((times) => {
      const downs = Array.from({ length: times }, () => named("down"));
      return downs.reduce((state, press) => reduceForm(state, press, nestedShape).state, start).focus;
    });
    expect([start.focus, ...foci]).toEqual([1, 2, 3, 5, 6]);
  });

  it("has so many entries in a list and no more", () => {
    const atList = { ...initialFormState(nestedShape), focus: 3 };
    const adds = Array.from({ length: maxListEntries + 5 }, () => typed("+"));
    const full = adds.reduce((state, press) => reduceForm(state, press, nestedShape).state, atList);
    expect(full.counts["/people"]).toBe(maxListEntries);
  });
});
