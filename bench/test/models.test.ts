import type { Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { checkStoreModel, folderStores, memoryStores } from "../src/models/run-model.js";
import { temporaryFolder } from "../src/stores/stored-tasks.js";

/** A new one each time; what is found names it. */
const seed = Date.now() % 1_000_000_000;

test("the store in memory does what a plain model does, in any sequence of calls (G2, G4, G7)", async () => {
  await checkStoreModel(memoryStores(), { runs: 300, seed });
});

test("so does the store in a folder, also when it is opened again", async () => {
  const { directory, remove } = await temporaryFolder();
  onTestFinished(remove);
  await checkStoreModel(folderStores(directory), { runs: 30, seed });
});

const defects: readonly (readonly [string, Partial<Record<keyof Store, (store: Store) => unknown>>, RegExp])[] = [
  [
    "takes commits of every lease",
    {
      commit: (store) => async (request: Parameters<Store["commit"]>[0]) => {
        const newest = await store.getTask(request.lease.taskId);
        return newest?.leased === false ? { record: newest.record, signals: [] } : store.commit(request);
      },
    },
    /a commit gives LEASE_LOST, not ok/,
  ],
  [
    "does not compare versions of documents",
    {
      putDocument: (store) => async (request: Parameters<Store["putDocument"]>[0]) => {
        const known = await store.getDocument(request.kind, request.id);
        return store.putDocument({ ...request, expectedVersion: known?.version ?? 0 });
      },
    },
    /putting a document/,
  ],
  [
    "forgets the last item of a read",
    {
      readItems:
        (store) =>
        async (...given: Parameters<Store["readItems"]>) => {
          const page = await store.readItems(...given);
          return { ...page, items: page.items.slice(0, -1) };
        },
    },
    /items of model-task-/,
  ],
];

test.each(defects)("a store that %s is found, with the shortest sequence", async (_what, broken, message) => {
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const replaced = broken[name as keyof Store]?.(store);
        const value: unknown = replaced ?? Reflect.get(target, name);
        return typeof value === "function" && replaced === undefined ? value.bind(target) : value;
      },
    });
  const found = await checkStoreModel(memoryStores(wrap), { runs: 200, seed: 1 }).catch((error: Error) => error);
  expect(found).toBeInstanceOf(Error);
  expect(String(found)).toMatch(message);
  const sequence = /Counterexample: \[(.*?)( \/\*|\]\n)/.exec(String(found))?.[1] ?? "";
  expect(sequence.split("),").length).toBeLessThanOrEqual(5);
});
