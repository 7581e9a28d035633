import { describe, expect, it } from "vitest";
import type { ToolOffer } from "../../store/store.js";
import { judgeVersion, type VersionedTask } from "./version-rule.js";

const shapes = { next: '{"next":"number"}', at: '{"at":"number"}' } as const;
const task: VersionedTask = { tool: "job", toolVersion: "1", stateVersion: "1", attempt: 1, state: { at: 3 } };
const judge = (own: ToolOffer, others: readonly ToolOffer[] = [], parts: Partial<VersionedTask> = {}, over = true) =>
  judgeVersion({ ...task, ...parts }, own, others, over).kind;

describe("the rule for versions", () => {
  it("runs a task on its own version while a living worker offers it", () => {
    expect(judge({ version: "1" }, [{ version: "2" }])).toBe("run");
    expect(judge({ version: "2" }, [{ version: "1" }])).toBe("leave");
    expect(judge({ version: "2" }, [{ version: "1" }], { attempt: 0, state: undefined })).toBe("leave");
  });

  it("waits for its own version before another continues it, unless it was not begun", () => {
    expect(judge({ version: "2" }, [{ version: "3" }], {}, false)).toBe("wait");
    expect(judge({ version: "2" }, [], { attempt: 0, state: undefined }, false)).toBe("run");
  });

  it("continues it on a version that accepts it, and leaves it to that one elsewhere", () => {
    const [able, unable] = [
      { version: "2", accepts: ["1"] },
      { version: "3", accepts: ["2"] },
    ];
    expect([judge(able, [unable]), judge(unable, [able])]).toEqual(["change", "leave"]);
    expect(judge(able, [{ version: "3", accepts: ["1"] }])).toBe("change");
  });

  it.each<readonly [string, ToolOffer, Partial<VersionedTask>, string]>([
    ["a version that accepts none", { version: "2" }, {}, "refuse"],
    ["a version that accepts it", { version: "a4f", accepts: ["1"] }, {}, "change"],
    ["a version that accepts others", { version: "3", accepts: ["2"] }, {}, "refuse"],
    ["a version that accepts any", { version: "3", accepts: ["*"] }, {}, "change"],
    [
      "a version that accepts that of the code, and not that of the state",
      { version: "2", accepts: ["3"] },
      { toolVersion: "3", stateVersion: "1" },
      "refuse",
    ],
    [
      "a version that accepts that of the state, and not that of the code",
      { version: "2", accepts: ["1"] },
      { toolVersion: "3", stateVersion: "1" },
      "refuse",
    ],
    ["the version, with its own shape", { version: "1", stateShape: shapes.at }, { stateShape: shapes.at }, "run"],
    ["the version, with another shape", { version: "1", stateShape: shapes.at }, { stateShape: shapes.next }, "refuse"],
    [
      "the version, with another shape, without a state",
      { version: "1", stateShape: shapes.at },
      { stateShape: shapes.next, state: undefined },
      "run",
    ],
    [
      "a version that accepts it, with another shape",
      { version: "2", accepts: ["1"], stateShape: shapes.at },
      { stateShape: shapes.next },
      "change",
    ],
  ])("judges %s", (_what, own, parts, verdict) => {
    expect(judge(own, [], parts)).toBe(verdict);
  });

  it("leaves code of the same version and another shape to the code with the right one", () => {
    const [old, now] = [
      { version: "1", stateShape: shapes.next },
      { version: "1", stateShape: shapes.at },
    ];
    expect(judge(now, [old], { stateShape: shapes.next })).toBe("leave");
  });

  it("says which version it needs, and what to do", () => {
    expect(judgeVersion({ ...task, toolVersion: "2", stateVersion: "2" }, { version: "1" }, [], true)).toEqual({
      kind: "refuse",
      message:
        'Waits for code that can read it: it needs version 2 of job, and version 1 does not say that it continues tasks of version 2. Start a server with version 2, declare accepts: ["2"], or decide with resumable-mcp store: resume --tool-version 1, restart, or cancel.',
    });
    const changed = { ...task, stateShape: shapes.next };
    expect(judgeVersion(changed, { version: "1", stateShape: shapes.at }, [], true)).toEqual({
      kind: "refuse",
      message:
        'Waits for code that can read it: the first state of job has another shape ({"next":"number"} when the task ran, {"at":"number"} now), and its version is still 1. Start the code from before the change, give the new code another version and migrate, or decide with resumable-mcp store: resume --tool-version 1, restart, or cancel.',
    });
  });
});
