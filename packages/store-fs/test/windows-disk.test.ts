import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import { failingDisk } from "./failing-disk.js";
import { commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

const refusal = (path: string) =>
  Object.assign(new Error(`EPERM: rename '${path}'`), { code: "EPERM", syscall: "rename" });

/** As Windows does: no folder is renamed in which a file is open, and none to a name that is taken. */
function windowsDisk(): Disk {
  const disk = failingDisk(() => undefined);
  return {
    ...disk,
    rename(from, to) {
      const isOpen = disk.openFiles().some((path) => path.startsWith(`${from}/`));
      if (isOpen || nodeDisk.kindOf(to) === "folder") throw refusal(to);
      disk.rename(from, to);
    },
  };
}

test("a task is deleted on a system that renames no folder in which a file is open", async () => {
  const store = openStore(emptyFolder(), { disk: windowsDisk() });
  await create(store, "task");
  const held = await lease(store, newTask("task").id);
  await commit(store, held, 1, [{ type: "completed", output: 1 }]);
  await store.deleteTask(held);
  expect(await store.getTask(held.taskId)).toBeUndefined();
});

test("a task whose folder is there already is found on a system that says EPERM of it", async () => {
  const directory = emptyFolder();
  const disk = windowsDisk();
  const store = openStore(directory, { disk });
  await create(store, "task");
  const again = openStore(directory, { disk });
  expect(await again.createTask({ task: newTask("task"), reuseResultMs: 0, now })).toMatchObject({ created: false });
});
