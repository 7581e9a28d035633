import { basename } from "node:path";
import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { emptyFolder, now, openStore } from "./scene.js";

/** The machine's disk, which tells in which order a session's files are synced, named and removed. */
function loggingDisk() {
  const paths = new Map<number, string>();
  const log: string[] = [];
  const disk: Disk = {
    ...nodeDisk,
    open(path, flags) {
      const file = nodeDisk.open(path, flags);
      paths.set(file, path);
      return file;
    },
    async syncData(file) {
      const isDraft = basename(paths.get(file) ?? "").startsWith(".draft.");
      await nodeDisk.syncData(file);
      if (isDraft) log.push("synced the draft");
    },
    link(from, to) {
      nodeDisk.link(from, to);
      log.push(`named ${basename(to)}`);
    },
    unlink(path) {
      nodeDisk.unlink(path);
      if (!basename(path).startsWith(".draft.")) log.push(`removed ${basename(path)}`);
    },
  };
  return { disk, log };
}

test("a session's next version is on the disk before it has its name, and before the version before it goes (G1)", async () => {
  const { disk, log } = loggingDisk();
  const store = openStore(emptyFolder(), { disk });
  const session = { id: "session-1", owner: "client:a", now };
  await store.putDocument({ kind: "session", ...session, value: 1, expectedVersion: 0 });
  log.length = 0;
  await store.putDocument({ kind: "session", ...session, value: 2, expectedVersion: 1 });
  expect(log).toEqual(["synced the draft", "named 2.json", "removed 1.json"]);
});

test("of two changes of a session at once one is made, and the other is refused", async () => {
  const store = openStore(emptyFolder());
  const session = { id: "session-1", owner: "client:a", now };
  await store.putDocument({ kind: "session", ...session, value: 1, expectedVersion: 0 });
  const change = (value: number) => store.putDocument({ kind: "session", ...session, value, expectedVersion: 1 });
  const outcomes = await Promise.allSettled([change(2), change(3)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const [made] = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(await store.getDocument("session", "session-1")).toEqual(made);
  const next = await store.putDocument({ kind: "session", ...session, value: 4, expectedVersion: 2 });
  expect([next.version, (await store.getDocument("session", "session-1"))?.value]).toEqual([3, 4]);
});
