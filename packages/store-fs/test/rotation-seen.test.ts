import { expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { checkpoint, commit, create, emptyFolder, folderOf, lease, openStore } from "./scene.js";

test("a reader of another process that meets a rotation half done takes the task from no worker (G4)", async () => {
  const directory = emptyFolder();
  const writes = openStore(directory);
  const id = await create(writes, "task");
  const held = await lease(writes, id);
  await commit(writes, held, 1, [checkpoint(1)]);
  let looks = 0;
  const reads = openStore(directory, {
    disk: {
      ...nodeDisk,
      list(folder) {
        const names = nodeDisk.list(folder);
        if (folder !== folderOf(directory, id)) return names;
        looks += 1;
        // After it has read the journal, and before it looks whether another process went on: the writer's next file.
        return looks === 2 ? [...names, "journal.3.jsonl"] : names;
      },
    },
  });
  expect(await reads.getTask(id)).toMatchObject({ leased: true, record: { progress: 1 } });
  expect(looks).toBeGreaterThan(2);
  expect(await commit(writes, held, 2, [checkpoint(2)])).toMatchObject({ lastSeq: 3 });
});
