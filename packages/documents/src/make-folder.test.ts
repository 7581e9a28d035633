import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "make-folder-"));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

describe("a folder", () => {
  it("is made with those above it, and is left as it is where there is one", () => {
    const path = join(folder(), "a", "b", "c");
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("is refused below a file, and in its place", () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(() => makeFolder(file)).toThrow("EEXIST");
    expect(() => makeFolder(join(file, "a"))).toThrow("ENOTDIR");
  });

  // Node's own way to make several folders tries this without end.
  it.runIf(existsSync("/proc/self"))("is refused at once where the system makes none", () => {
    expect(() => makeFolder("/proc/nope/a/b")).toThrow("ENOENT");
  });
});
