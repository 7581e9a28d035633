import { expect, test } from "vitest";
import { progressText } from "./next-step.js";

test("sentences say whole percents", () => {
  expect(progressText({ progress: 1, total: 3 })).toBe("1/3 (33 %)");
});
