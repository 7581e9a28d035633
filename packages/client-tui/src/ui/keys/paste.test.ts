import { describe, expect, it } from "vitest";
import { pasted } from "../../../test/key-presses.js";
import { type KeyPress, takePaste } from "./key-press.js";

describe("pasted text", () => {
  const paste = (...inputs: string[]) =>
    inputs.reduce<{ state: string | undefined; presses: KeyPress[] }>(
      ({ state, presses }, input) => {
        const step = takePaste(state, input);
        return { state: step?.state, presses: step?.press === undefined ? presses : [...presses, step.press] };
      },
      { state: undefined, presses: [] },
    );

  it("comes as one piece that is not a command, without line breaks and control characters", () => {
    expect(paste("[200~", "rm -rf\r", "\u001b[Ay\n", "[201~")).toEqual({
      state: undefined,
      presses: [pasted("rm -rf [Ay ")],
    });
  });

  it("is not what is typed", () => {
    expect(takePaste(undefined, "y")).toBeUndefined();
  });

  it("is taken up to 100,000 characters", () => {
    const step = paste("[200~", "a".repeat(99_999), "bcd", "[201~");
    expect(step.presses.map(({ paste: text = "" }) => [text.length, text.at(-1)])).toEqual([[100_000, "b"]]);
  });
});
