import type { TaskEvent } from "@resumable-mcp/core/store";
import { describe, expect, it } from "vitest";
import { type JournalEntry, type JournalFile, proveOneWriter, type Sealed } from "./one-writer.js";

const at = "2026-01-01T00:00:00.000Z";
const lineBytes = 100;

function started(seq: number, attempt: number, worker: string): TaskEvent {
  return { type: "attempt_started", attempt, worker, toolVersion: "1", seq, at };
}

function checkpoint(seq: number): TaskEvent {
  return { type: "checkpoint", progress: seq, seq, at };
}

const crashed = (seq: number): TaskEvent => ({ type: "attempt_ended", reason: "crashed", seq, at });

/** A file whose lines are of one size, one event each. */
function file(epoch: number, worker: string, chain: readonly Sealed[], events: readonly TaskEvent[]): JournalFile {
  const entries = events.map(
    (event, index): JournalEntry => ({ seq: event.seq, events: [event], endsAt: (index + 2) * lineBytes }),
  );
  const base = chain.at(-1)?.end ?? 0;
  return { epoch, head: { epoch, lease: epoch, worker, base, chain }, entries };
}

function sealed(epoch: number, base: number, end: number): Sealed {
  return { epoch, base, end, bytes: (end - base + 1) * lineBytes };
}

/** One writer dies after seq 3, the next takes over; a line that the first appended too late does not count. */
const first = file(1, "a", [], [started(1, 1, "a"), checkpoint(2), checkpoint(3), checkpoint(4)]);
const second = file(2, "b", [sealed(1, 0, 3)], [crashed(4), started(5, 2, "b"), checkpoint(6)]);
const acknowledged = (epoch: number, worker: string, afterSeq: number, lastSeq: number) => ({
  taskId: "t",
  epoch,
  worker,
  afterSeq,
  lastSeq,
});

describe("the proof that a task had one writer at a time", () => {
  it("counts writers and late lines of journals that are right", () => {
    expect(proveOneWriter([first, second], [acknowledged(1, "a", 0, 3), acknowledged(2, "b", 3, 6)])).toEqual({
      problems: [],
      writers: 2,
      lateLines: 1,
    });
  });

  it("passes over an epoch that was announced and never sealed", () => {
    const announced = { epoch: 3, head: undefined, entries: [] };
    expect(proveOneWriter([first, second, announced], []).problems).toEqual([]);
  });

  const takenBack = file(3, "c", [sealed(1, 0, 4), { ...sealed(2, 3, 6), base: 4 }], []);
  it.each<[string, readonly JournalFile[], Parameters<typeof proveOneWriter>[1], string]>([
    ["an acknowledged commit that is missing", [first, second], [acknowledged(2, "b", 6, 7)], "is lost"],
    [
      "a commit of an old writer that was acknowledged too late",
      [first, second],
      [acknowledged(1, "a", 3, 4)],
      "is epoch 2's",
    ],
    ["a commit that was acknowledged to another worker", [first, second], [acknowledged(2, "x", 3, 4)], "is epoch 2's"],
    ["a line that counts again after a seal left it out", [first, second, takenBack], [], "contradicts"],
    ["a gap", [first, file(2, "b", [sealed(1, 0, 3)], [crashed(5)])], [], "event 5 follows 3"],
    ["a seal that cuts a line", [first, file(2, "b", [{ ...sealed(1, 0, 3), bytes: 450 }], [])], [], "within a line"],
    ["a file that is missing", [second], [], "the file of epoch 1 is missing"],
    ["two attempts at once", [first, file(2, "b", [sealed(1, 0, 3)], [started(4, 2, "b")])], [], "while another ran"],
    [
      "a checkpoint without an attempt",
      [first, file(2, "b", [sealed(1, 0, 3)], [checkpoint(4)])],
      [],
      "not by the attempt",
    ],
    ["no journal at all", [], [], "no journal is sealed"],
  ])("finds %s", (_, files, commits, problem) => {
    expect(proveOneWriter(files, commits).problems.join("; ")).toContain(problem);
  });
});
