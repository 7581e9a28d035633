import { expect, test } from "vitest";
import type { DataLoss } from "./crash-image.js";
import { crashImage } from "./crash-image.js";
import { emptyTree, MemoryDisk } from "./memory-disk.js";
import { recordDisk, SyncLost } from "./recording-disk.js";

/** What a disk holds after power was lost: the text of `/f/a` and of `/f/b`, where they are there. */
function after(work: (disk: ReturnType<typeof recordDisk>["disk"]) => void, names: boolean, data: DataLoss) {
  const { disk, events } = recordDisk(new MemoryDisk());
  disk.makeFolder("/f");
  disk.syncFolderNow("/");
  work(disk);
  const image = new MemoryDisk(crashImage(emptyTree(), events, { keepsName: () => names, dataLoss: () => data }));
  return ["/f/a", "/f/b"].map((path) => {
    if (!image.exists(path)) return undefined;
    const into = Buffer.alloc(2_000);
    const file = image.open(path, "r");
    return into.subarray(0, image.read(file, into, 0)).toString();
  });
}

function write(
  disk: MemoryDisk | ReturnType<typeof recordDisk>["disk"],
  path: string,
  text: string,
  isSynced: boolean,
) {
  const file = disk.open(path, "a");
  disk.write(file, Buffer.from(text), null);
  if (isSynced) disk.syncDataNow(file);
  disk.close(file);
}

test("a name is lost with all that was synced under it, unless its folder was synced", () => {
  expect(after((disk) => write(disk, "/f/a", "one", true), false, "kept")).toEqual([undefined, undefined]);
  const synced = after(
    (disk) => {
      write(disk, "/f/a", "one", true);
      disk.syncFolderNow("/f");
    },
    false,
    "dropped",
  );
  expect(synced).toEqual(["one", undefined]);
});

test.each<[string, DataLoss, string]>([
  ["kept", "kept", "onetwo"],
  ["dropped", "dropped", "one"],
  ["zeroed", "zeroed", "one\0\0\0"],
  ["cut", { cutAt: 0.4 }, "onet"],
  ["torn", { tornBy: () => false }, "one\0\0\0"],
])("what was written after the sync of a file is %s", (_, loss, expected) => {
  const work = (disk: ReturnType<typeof recordDisk>["disk"]) => {
    write(disk, "/f/a", "one", true);
    write(disk, "/f/a", "two", false);
  };
  expect(after(work, true, loss)).toEqual([expected, undefined]);
});

test("a rename happens as a whole or not at all", () => {
  const work = (disk: ReturnType<typeof recordDisk>["disk"]) => {
    write(disk, "/f/a", "one", true);
    disk.syncFolderNow("/f");
    disk.rename("/f/a", "/f/b");
  };
  expect([after(work, true, "kept"), after(work, false, "kept")]).toEqual([
    [undefined, "one"],
    ["one", undefined],
  ]);
});

test("a sync that has not ended makes nothing durable", () => {
  const work = (disk: ReturnType<typeof recordDisk>["disk"]) => {
    const file = disk.open("/f/a", "a");
    disk.write(file, Buffer.from("one"), null);
    void disk.syncData(file);
    void disk.syncFolder("/f");
  };
  expect(after(work, false, "dropped")).toEqual([undefined, undefined]);
});

test("what a sync lost is durable only after it was written once more", () => {
  class LosingDisk extends MemoryDisk {
    loses = true;
    override syncDataNow(file: number): void {
      super.syncDataNow(file);
      if (this.loses) throw new SyncLost("simulated");
    }
  }
  const inner = new LosingDisk();
  const { disk, events } = recordDisk(inner);
  const left = () => {
    const image = new MemoryDisk(crashImage(emptyTree(), events, { keepsName: () => true, dataLoss: () => "zeroed" }));
    const into = Buffer.alloc(10);
    return into.subarray(0, image.read(image.open("/a", "r"), into, 0)).toString();
  };
  const file = disk.open("/a", "a");
  disk.write(file, Buffer.from("one"), null);
  expect(() => disk.syncDataNow(file)).toThrow(SyncLost);
  inner.loses = false;
  disk.write(file, Buffer.from("two"), null);
  disk.syncDataNow(file);
  expect(left()).toBe("\0\0\0two");
  disk.write(file, Buffer.from("one"), 0);
  disk.syncDataNow(file);
  expect(left()).toBe("onetwo");
});
