import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { afterAll, expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { failingDisk } from "./failing-disk.js";
import { create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

/** A place that can be filled, and emptied again. */
interface SmallDisk {
  readonly directory: string;
  readonly disk: Disk;
  makeRoom(): void;
}

const mounted: string[] = [];

afterAll(() => {
  for (const place of mounted) {
    execFileSync("umount", [place]);
    rmSync(place, { recursive: true });
  }
});

/** Half a mebibyte of memory as a file system, where this process may mount one. */
function mountSmall(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), "store-fs-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", place], { stdio: "ignore" });
    mounted.push(place);
    return place;
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  }
}

function realDisk(place: string): SmallDisk {
  const ballast = join(place, "ballast");
  const { bavail, bsize } = statfsSync(place);
  writeFileSync(ballast, Buffer.alloc((bavail * bsize) >> 1));
  return {
    directory: join(place, "store"),
    disk: nodeDisk,
    makeRoom: () => rmSync(ballast),
  };
}

/** Where nothing can be mounted: a disk that takes so many bytes and no more, and in the end only a part of a line. */
function injectedDisk(): SmallDisk {
  let room = 200 * 1024;
  const counting = failingDisk((operation) => {
    if (operation === "write") room -= 1_100;
    return room < 0 && (operation === "write" || operation === "mkdir") ? "ENOSPC" : undefined;
  });
  return {
    directory: emptyFolder(),
    disk: counting,
    makeRoom: () => {
      room = Number.POSITIVE_INFINITY;
    },
  };
}

const place = mountSmall();
const how = place === undefined ? "injected errors, since nothing can be mounted here" : "a mounted file system";

/** Commits until the disk takes no more. Gives the last seq that counts. */
async function fill(store: Store, held: Lease): Promise<{ readonly lastSeq: number; readonly error: unknown }> {
  let lastSeq = 1;
  for (;;) {
    try {
      const state = `${lastSeq} ${"x".repeat(1_000)}`;
      const events = [{ type: "checkpoint", progress: lastSeq, state, items: [lastSeq] }] as const;
      ({ lastSeq } = (await store.commit({ lease: held, afterSeq: lastSeq, events, consume: [], now })).record);
    } catch (error) {
      return { lastSeq, error };
    }
  }
}

test(`a disk that is full stops a task with a clear error, and it continues when there is room (${how}) (G12)`, async () => {
  const small = place === undefined ? injectedDisk() : realDisk(place);
  const store = openStore(small.directory, { disk: small.disk, limits: { rotateBytes: 20_000 } });
  const id = await create(store, "task");
  const held = await lease(store, id);
  const { lastSeq, error } = await fill(store, held);
  expect(lastSeq).toBeGreaterThan(10);
  expect(isResumableError(error, "STORE_WRITE_FAILED") || isResumableError(error, "LEASE_LOST"), `${error}`).toBe(true);
  await store.releaseLease(held);
  expect((await store.getTask(id))?.record.lastSeq).toBe(lastSeq);
  await expect(store.createTask({ task: newTask("another"), reuseResultMs: 0, now })).rejects.toMatchObject({
    // What is left of a real disk is seen before it is used.
    code: place === undefined ? "STORE_WRITE_FAILED" : "QUOTA_EXCEEDED",
  });
  small.makeRoom();
  const next = await lease(store, id, "worker-b");
  const completed = [{ type: "completed", output: null }] as const;
  await store.commit({ lease: next, afterSeq: lastSeq, events: completed, consume: [], now });
  await store.releaseLease(next);
  const { items } = await store.readItems(id, { after: 0, limit: 10_000 });
  expect(items).toEqual(Array.from({ length: lastSeq - 1 }, (_, index) => index + 1));
  expect((await store.listTasks({ limit: 10 })).tasks.map((task) => [task.id, task.status])).toEqual([
    [id, "completed"],
  ]);
  await store.close();
});
