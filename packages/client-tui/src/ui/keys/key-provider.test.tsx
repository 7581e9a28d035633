import { Text } from "ink";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { draw, drawPart, least } from "../../../test/draw.js";
import { named, pasted, typed } from "../../../test/key-presses.js";
import type { KeyPress } from "./key-press.js";
import { type KeyListener, KeyProvider, useKeys } from "./key-provider.js";

function Listening({ listener }: { readonly listener: KeyListener }): ReactNode {
  useKeys(listener);
  return <Text>listening</Text>;
}

function listen(changes = false) {
  const heard: KeyPress[] = [];
  const listener = (press: KeyPress) => {
    heard.push(press);
    return changes;
  };
  return { heard, listener };
}

describe("the keyboard", () => {
  it("draws nothing of its own", () => {
    expect(drawPart(<Listening listener={() => false} />, least).frame().lines).toEqual(["listening"]);
  });

  it("is heard by the screen, key by key", () => {
    const { heard, listener } = listen();
    const screen = drawPart(<Listening listener={listener} />, least);
    for (const keys of ["ab", "\u001b[A", "\t"]) screen.press(keys);
    expect(heard).toEqual([typed("a"), typed("b"), named("up"), named("tab")]);
  });

  it("says nothing to the screen that was left of what was typed behind the key that left it", () => {
    const { heard, listener } = listen(true);
    drawPart(<Listening listener={listener} />, least).press("ab");
    expect(heard).toEqual([typed("a")]);
  });

  it("is heard by the whole program first, which keeps what it takes", () => {
    const { heard, listener } = listen();
    const taken: KeyPress[] = [];
    const whole = (press: KeyPress) => press.text === "x" && taken.push(press) > 0;
    const screen = draw(
      <KeyProvider onPress={whole}>
        <Listening listener={listener} />
      </KeyProvider>,
      least,
    );
    for (const key of ["a", "x"]) screen.press(key);
    expect([heard, taken]).toEqual([[typed("a")], [typed("x")]]);
  });

  it("gives a paste in one piece, of which nothing is a command", () => {
    const { heard, listener } = listen();
    const screen = drawPart(<Listening listener={listener} />, least);
    for (const keys of ["\u001b[200~", "cq\r", "y", "\u001b[201~"]) screen.press(keys);
    expect(heard).toEqual([pasted("cq y")]);
  });
});
