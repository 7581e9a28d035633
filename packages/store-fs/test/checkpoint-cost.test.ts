import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { type DiskEvent, recordDisk } from "../src/testing/recording-disk.js";
import { checkpoint, commit, create, emptyFolder, lease, openStore } from "./scene.js";

/** What was written and synced, by the names of files. Other files than journals are written without a sync. */
function costsOf(events: readonly DiskEvent[], from: number): readonly string[] {
  const paths = new Map(events.flatMap((event) => (event.kind === "opened" ? [[event.opening, event.path]] : [])));
  const nameOf = (opening: number) => paths.get(opening)?.split("/").at(-1);
  return events.slice(from).flatMap((event) => {
    if (event.kind === "wrote") return nameOf(event.opening)?.startsWith("journal.") ? ["append"] : [];
    if (event.kind !== "sync_began") return [];
    return ["opening" in event.of ? `sync of ${nameOf(event.of.opening)}` : "sync of a folder"];
  });
}

test.each([
  ["machine", ["append", "sync of journal.2.jsonl"]],
  ["process", ["append"]],
] as const)("with durability %s a checkpoint costs: %j", async (durability, expected) => {
  const { disk, events } = recordDisk(nodeDisk);
  const store = openStore(emptyFolder(), { durability, disk });
  const held = await lease(store, await create(store, "task"));
  const { lastSeq } = await commit(store, held, 1, [checkpoint(1)]);
  const from = events.length;
  await commit(store, held, lastSeq, [checkpoint(2)]);
  expect(costsOf(events, from)).toEqual(expected);
});

test("a short task syncs nothing twice from its creation to the note that its result was delivered", async () => {
  const { disk, events } = recordDisk(nodeDisk);
  const store = openStore(emptyFolder(), { disk });
  const run = async (name: string) => {
    const held = await lease(store, await create(store, name, { key: "the same call" }));
    const started = { type: "attempt_started", attempt: 1, worker: held.worker, toolVersion: "1" } as const;
    const { lastSeq } = await commit(store, held, 1, [started]);
    await commit(store, held, lastSeq, [{ type: "completed", output: name }]);
    await store.releaseLease(held);
    await store.signal(held.taskId, { kind: "delivered" });
  };
  await run("first");
  const from = events.length;
  await run("second");
  await store.close();
  const syncs = costsOf(events, from).filter((cost) => cost.startsWith("sync"));
  const folders = syncs.filter((sync) => sync === "sync of a folder").length;
  const files = syncs
    .filter((sync) => sync !== "sync of a folder")
    .map((sync) => sync.replace(/\S{9,}-1|T_.*|(?<=draft)\..*/, "…"));
  // The claim, the journal of the task as it was made, that of its lease three times, and the list of finished tasks.
  const journals = ["1", "2", "2", "2"].map((epoch) => `sync of journal.${epoch}.jsonl`);
  expect({ files: files.toSorted(), folders }).toEqual({
    files: ["sync of 2", ...journals, "sync of ….jsonl"],
    folders: 6,
  });
});
