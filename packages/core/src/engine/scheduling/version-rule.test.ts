import { describe, expect, it } from "vitest";
import type { ToolOffer } from "../../store/store.js";
import { compareVersions, judgeVersion, type VersionedTask } from "./version-rule.js";

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

  it("continues it on the newest version that can", () => {
    const [second, tenth] = [{ version: "1.2" }, { version: "1.10" }];
    expect([judge(second, [tenth]), judge(tenth, [second])]).toEqual(["leave", "change"]);
    const unable = { version: "3", accepts: ["2"] };
    expect([judge(second, [unable]), judge(unable, [second])]).toEqual(["change", "leave"]);
    expect(judge({ version: "1.10" }, [tenth])).toBe("change");
  });

  it.each<readonly [string, ToolOffer, Partial<VersionedTask>, string]>([
    ["a later version", { version: "2" }, {}, "change"],
    ["an earlier version", { version: "0.9" }, {}, "refuse"],
    [
      "an earlier version that migrates, since it cannot know the later one",
      { version: "0", migrates: true },
      {},
      "refuse",
    ],
    ["an earlier version that accepts it", { version: "0", accepts: ["1"] }, {}, "change"],
    ["a later version that accepts others", { version: "3", accepts: ["2"] }, {}, "refuse"],
    ["a version without an order", { version: "a4f" }, {}, "refuse"],
    ["a version without an order that accepts it", { version: "a4f", accepts: ["1"] }, {}, "change"],
    ["a version without an order that migrates", { version: "a4f", migrates: true }, {}, "change"],
    ["a version without an order that restarts", { version: "a4f", onVersionChange: "restart" }, {}, "change"],
    ["a version without an order that fails", { version: "a4f", onVersionChange: "fail" }, {}, "change"],
    ["a version without an order that resumes", { version: "a4f", onVersionChange: "resume" }, {}, "refuse"],
    ["a version between those of code and state", { version: "2" }, { toolVersion: "3", stateVersion: "1" }, "refuse"],
    ["the version, with its own shape", { version: "1", stateShape: shapes.at }, { stateShape: shapes.at }, "run"],
    ["the version, with another shape", { version: "1", stateShape: shapes.at }, { stateShape: shapes.next }, "refuse"],
    [
      "the version, with another shape, without a state",
      { version: "1", stateShape: shapes.at },
      { stateShape: shapes.next, state: undefined },
      "run",
    ],
    [
      "a later version with another shape",
      { version: "2", stateShape: shapes.at },
      { stateShape: shapes.next },
      "refuse",
    ],
    [
      "a later version with another shape that migrates",
      { version: "2", stateShape: shapes.at, migrates: true },
      { stateShape: shapes.next },
      "change",
    ],
    [
      "a later version with another shape that restarts",
      { version: "2", stateShape: shapes.at, onVersionChange: "restart" },
      { stateShape: shapes.next },
      "change",
    ],
    [
      "a later version with another shape that fails",
      { version: "2", stateShape: shapes.at, onVersionChange: "fail" },
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
        'Waits for code that can read it: it needs version 2 of job, and version 1 does not say that it continues tasks of version 2. Start a server with version 2, declare accepts: ["2"] or migrate, or decide with resumable-mcp store: resume --tool-version 1, restart, or cancel.',
    });
    const changed = { ...task, stateShape: shapes.next };
    expect(judgeVersion(changed, { version: "1", stateShape: shapes.at }, [], true)).toEqual({
      kind: "refuse",
      message:
        'Waits for code that can read it: the first state of job has another shape ({"next":"number"} when the task ran, {"at":"number"} now), and its version is still 1. Start the code from before the change, give the new code another version and migrate, or decide with resumable-mcp store: resume --tool-version 1, restart, or cancel.',
    });
  });
});

describe("the order of versions", () => {
  it.each([
    ["1", "2", -1],
    ["2", "10", -1],
    ["1.10", "1.9", 1],
    ["v2.0", "2", 0],
    ["20261122", "20261121", 1],
    ["9007199254740993", "9007199254740992", 1],
    ["1.0-beta", "1.0", undefined],
    ["a4f", "b11", undefined],
    ["", "1", undefined],
  ])("of %s and %s is %s", (left, right, expected) => {
    expect(compareVersions(left, right)).toBe(expected);
  });
});
