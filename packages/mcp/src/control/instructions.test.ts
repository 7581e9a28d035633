import { expect, test } from "vitest";
import { joinInstructions, longToolsText } from "./instructions.js";

test("what a server of ours behind this one says of its control tools is not said twice", () => {
  const inner = joinInstructions({ instructions: "Use me.\n\nWell." }, "Unfinished tasks of this user:\na");
  const prefix = "resumable_";
  const outer = joinInstructions({ instructions: inner, prefix });
  expect(outer).toBe(`Use me.\n\nWell.\n\nUnfinished tasks of this user:\na\n\n${longToolsText(prefix)}`);
  expect(joinInstructions({ instructions: outer, prefix })).toBe(outer);
  expect(longToolsText(prefix)).toMatch(/call resumable_wait_for_task .* resumable_list_session_tasks/);
});
