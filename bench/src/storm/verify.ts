import type { Store, TaskEvent } from "@resumable-mcp/core";
import type { FollowedRun } from "./driver.js";

/** What a run should have been. */
export interface ExpectedRun {
  readonly records: number;
  readonly batch: number;
}

/** Says what is wrong with a run: with its items, with what its follower saw, or with its journal. */
export function problemsOfRun(run: FollowedRun, expected: ExpectedRun): readonly string[] {
  const { records, batch } = expected;
  const problems: string[] = [];
  if (run.items.length !== records) problems.push(`${run.items.length} items, not ${records}`);
  const wrong = run.items.findIndex((item, index) => item.index !== index || item.run !== run.run);
  if (wrong !== -1) problems.push(`item ${wrong} is ${JSON.stringify(run.items[wrong])}`);
  const wanted = Array.from({ length: Math.ceil(records / batch) }, (_, index) =>
    Math.min(records, (index + 1) * batch),
  );
  const rising = run.seqs.every((seq, index) => index === 0 || seq > (run.seqs[index - 1] ?? 0));
  if (!rising) problems.push(`the follower saw seqs out of order: ${run.seqs.join(" ")}`);
  if (run.snapshots === 0 && run.progress.join(" ") !== wanted.join(" ")) {
    problems.push(`the follower saw progress ${run.progress.join(" ")}`);
  }
  const sum = (records * (records - 1)) / 2;
  if (JSON.stringify(run.output) !== JSON.stringify({ records, sum }))
    problems.push(`result ${JSON.stringify(run.output)}`);
  return problems.map((problem) => `${run.run} (${run.taskId}): ${problem}`);
}

/** What a journal tells about the storm. */
export interface JournalFacts {
  readonly attempts: number;
  readonly crashes: number;
  readonly problems: readonly string[];
}

/** Reads a task's whole journal: gap-free, one attempt after the other, each checkpoint once. */
export async function journalFacts(store: Store, taskId: string): Promise<JournalFacts> {
  const events: TaskEvent[] = [];
  const problems: string[] = [];
  for (let afterSeq = 0; ; ) {
    const page = await store.readEvents(taskId, { afterSeq, limit: 1_000 });
    if (page.snapshot !== undefined) afterSeq = page.snapshot.lastSeq;
    for (const event of page.events) {
      if (event.seq !== afterSeq + 1) problems.push(`${taskId}: event ${event.seq} follows ${afterSeq}`);
      afterSeq = event.seq;
      events.push(event);
    }
    if (afterSeq >= page.lastSeq) break;
  }
  let writer: string | undefined;
  for (const event of events) {
    if (event.type === "attempt_started") {
      if (writer !== undefined) problems.push(`${taskId}: attempt ${event.attempt} began while another ran`);
      writer = event.worker;
    }
    if (event.type === "attempt_ended") writer = undefined;
  }
  return {
    attempts: events.filter(({ type }) => type === "attempt_started").length,
    crashes: events.filter((event) => event.type === "attempt_ended" && event.reason === "crashed").length,
    problems,
  };
}
