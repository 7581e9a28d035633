import { expect, test } from "vitest";
import { createMemoryStore } from "../src/index.js";
import { type Documents, listBans, putBan, removeBan } from "../src/store.js";

const now = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1 };

test("a store takes no more bans than its servers look at", async () => {
  const store = createMemoryStore();
  const asked = { listed: 0, taken: 0 };
  /** With room for two, as in a store that has all but two already. */
  const documents: Documents = {
    ...store,
    listIdleDocuments: (request) => {
      asked.listed = request.limit;
      return store.listIdleDocuments(request);
    },
    putDocument: (request) => {
      asked.taken = request.counted?.max ?? Number.POSITIVE_INFINITY;
      return store.putDocument({ ...request, ...(request.counted && { counted: { ...request.counted, max: 2 } }) });
    },
  };
  for (const owner of ["sub:a", "sub:b"]) expect(await putBan(documents, owner, now)).toBe(true);
  const refused = putBan(documents, "sub:c", now);
  await expect(refused).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", details: { limit: "maxBans" } });
  expect((await listBans(documents)).map(({ owner }) => owner)).toEqual(["sub:a", "sub:b"]);
  expect(asked).toEqual({ listed: 10_000, taken: 10_000 });
  expect(await removeBan(documents, "sub:a")).toBe(true);
  expect(await putBan(documents, "sub:c", now)).toBe(true);
});
