import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { create, emptyFolder, openStore } from "./scene.js";

test("one owner's list looks at no file of another's task, once it is known whose it is (G11)", async () => {
  const looked: string[] = [];
  const noting = <Work extends (...given: never[]) => unknown>(work: Work) =>
    ((...given: Parameters<Work>) => {
      looked.push(String(given[0]));
      return work(...given);
    }) as Work;
  const { open, list, exists } = nodeDisk;
  const disk = { ...nodeDisk, open: noting(open), list: noting(list), exists: noting(exists) };
  const directory = emptyFolder();
  const writer = openStore(directory, { durability: "process" });
  onTestFinished(() => writer.close());
  for (let n = 0; n < 5; n++) await create(writer, `bobs-task-number-${n}`, { owner: "client:bob", key: null });
  const mine = await create(writer, "alices-task-number-0", { owner: "client:alice", key: null });
  // It reads what the other process writes, and finds out whose tasks they are when it looks for work.
  const store = openStore(directory, { durability: "process", disk });
  onTestFinished(() => store.close());
  await store.countTasks({});
  const listed = async (owner: string) =>
    (await store.listTasks({ owner, limit: 10, statuses: ["pending"] })).tasks.map(({ id }) => id);
  looked.length = 0;
  expect(await listed("client:alice")).toEqual([mine]);
  expect(looked.filter((path) => path.includes("bobs-task"))).toEqual([]);
  await create(writer, "alices-task-number-1", { owner: "client:alice", key: null });
  expect(await listed("client:alice")).toHaveLength(2);
  expect(await listed("client:bob")).toHaveLength(5);
});
