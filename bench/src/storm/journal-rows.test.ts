import type { TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { type JournalRow, proveRows } from "./journal-rows.js";

function row(epoch: number, firstSeq: number, ...bodies: readonly TaskEventBody[]): JournalRow {
  const events = bodies.map(
    (body, index): TaskEvent => ({ ...body, seq: firstSeq + index, at: "2026-01-01T00:00:00.000Z" }),
  );
  return { epoch, lastSeq: firstSeq + events.length - 1, events };
}

const started = (attempt: number, worker: string): TaskEventBody => ({
  type: "attempt_started",
  attempt,
  worker,
  toolVersion: "1",
});
const checkpoint: TaskEventBody = { type: "checkpoint", progress: 1 };
const crashed: TaskEventBody = { type: "attempt_ended", reason: "crashed" };

/** One worker dies after seq 3, the next one ends its attempt and begins its own. */
const sound = [
  row(7, 1, started(1, "a"), checkpoint),
  row(7, 3, checkpoint),
  row(9, 4, crashed, started(2, "b")),
  row(9, 6, checkpoint),
];

test("rows of one writer after another are sound", () => {
  expect(proveRows(sound)).toEqual([]);
});

test.each<[string, readonly JournalRow[], readonly string[]]>([
  ["a commit is missing", sound.toSpliced(1, 1), ["event 4 follows 2 in epoch 9"]],
  ["a commit is there twice", sound.toSpliced(1, 0, row(7, 3, checkpoint)), ["event 3 follows 3 in epoch 7"]],
  [
    "an earlier writer writes again",
    [...sound, row(7, 7, checkpoint)],
    ["epoch 7 follows 9", "event 7 is not by the attempt that runs"],
  ],
  [
    "a row does not end where it says",
    [{ ...row(7, 1, checkpoint), lastSeq: 2 }],
    ["the commit that ends at 2 has events up to 1", "event 1 is not by the attempt that runs"],
  ],
  [
    "two workers write under one epoch",
    [...sound, row(9, 7, crashed, started(3, "c"))],
    ["epoch 9 is that of b and of c", "attempt 3 is not its writer's"],
  ],
])("%s", (_, rows, problems) => {
  expect(proveRows(rows)).toEqual(problems);
});
