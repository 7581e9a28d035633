import { expect, test } from "vitest";
import { fsStoreDefaults } from "../disk/limits.js";
import { checkHeadroom, measureHeadroom } from "./store-usage.js";

const gibibyte = 2 ** 30;
const roomy = { bytes: 1_000 * gibibyte, freeBytes: 2 * gibibyte, files: 1_000_000, freeFiles: 500_000 };

test.each([
  ["a large disk", roomy, {}, [gibibyte, 10_000]],
  ["a disk of 1 GiB", { ...roomy, bytes: gibibyte }, {}, [Math.ceil(gibibyte / 20), 10_000]],
  ["a file system without a limit of files", { ...roomy, files: 0, freeFiles: 0 }, {}, [gibibyte, 0]],
  ["a limit of 10 GiB", roomy, { minFreeBytes: 10 * gibibyte, minFreePercent: 100 }, [10 * gibibyte, 10_000]],
  ["a limit of 0", roomy, { minFreeBytes: 0, minFreeFilesPercent: 0 }, [0, 0]],
])("of %s so much is kept free", (_, disk, limits, kept) => {
  expect(measureHeadroom({ ...fsStoreDefaults, ...limits }, disk).map((room) => room.kept)).toEqual(kept);
});

test.each([
  ["bytes", { freeBytes: gibibyte - 1 }, { quota: "minFreeBytes", limit: gibibyte, used: gibibyte - 1 }],
  ["files", { freeFiles: 9_999 }, { quota: "minFreeFilesPercent", limit: 10_000, used: 9_999 }],
])("a disk that is short of %s says so, and by how much (G11)", (unit, short, details) => {
  const check = () => checkHeadroom(fsStoreDefaults, { ...roomy, ...short });
  expect(check).toThrow(expect.objectContaining({ code: "QUOTA_EXCEEDED", details }));
  expect(check).toThrow(`room for ${details.used} ${unit}, and ${details.limit} are kept free`);
});

test("a disk with as much as is kept free takes a task", () => {
  expect(() => checkHeadroom(fsStoreDefaults, { ...roomy, freeBytes: gibibyte, freeFiles: 10_000 })).not.toThrow();
});
