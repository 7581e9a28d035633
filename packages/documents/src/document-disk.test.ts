import { expect, test } from "vitest";
import { renamePatiently } from "./document-disk.js";

/** A rename that is refused so many times. */
function refusing(times: number, code: string) {
  const calls: string[] = [];
  const renameSync = (from: string, to: string) => {
    calls.push(`${from} to ${to}`);
    if (calls.length <= times) throw Object.assign(new Error(`${code}: rename`), { code });
  };
  return { calls, renameSync };
}

test.each(["EPERM", "EACCES", "EBUSY"])(
  "a rename that Windows refuses with %s is tried again, ten times at most",
  (code) => {
    const twice = refusing(2, code);
    renamePatiently("a", "b", { platform: "win32", ...twice });
    expect(twice.calls).toEqual(["a to b", "a to b", "a to b"]);
    const always = refusing(100, code);
    expect(() => renamePatiently("a", "b", { platform: "win32", ...always })).toThrow(code);
    expect(always.calls).toHaveLength(10);
  },
);

test.each([
  ["another system", "linux", "EPERM"],
  ["another reason", "win32", "ENOENT"],
])("a rename that is refused by %s is not tried again", (_, platform, code) => {
  const refused = refusing(1, code);
  expect(() => renamePatiently("a", "b", { platform, ...refused })).toThrow(code);
  expect(refused.calls).toHaveLength(1);
});
