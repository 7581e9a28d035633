import { Box } from "ink";
import { describe, expect, it } from "vitest";
import { draw } from "../../../test/draw.js";
import { Line } from "./line.js";

const size = { columns: 20, rows: 3 };

describe("a line", () => {
  it("takes one row each, whatever its length", () => {
    const lines = (
      <Box flexDirection="column">
        <Line text="first" />
        <Line text="日本語 second ☕" />
        <Line text=" " />
      </Box>
    );
    expect(draw(lines, { columns: 20, rows: 3 }).frame().lines).toEqual(["first", "日本語 second ☕", ""]);
  });

  it("has the look that it is given, and none without colours", () => {
    const line = <Line text="text" color="red" bold dim inverse />;
    expect(draw(line, size, { colors: true }).colored()).toBe("{red}{bold}{dim}{inverse}text{/}{/}{/}");
    expect(draw(line, size).colored()).toBe("text");
  });
});
