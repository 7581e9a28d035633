import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type DocumentDisk, nodeDocumentDisk } from "./document-disk.js";
import { type DocumentDamage, DocumentFile, type DocumentOptions, openDocument } from "./document-file.js";

const schema = z.object({ n: z.number() });
type Numbered = z.infer<typeof schema>;

/** An empty folder, and a document in it whose damage is kept under another name. */
function scene(parts: Partial<DocumentOptions<Numbered>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "documents-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "n.json");
  const damages: DocumentDamage[] = [];
  const onDamage = (damage: DocumentDamage) => {
    damages.push(damage);
    renameSync(path, `${path}.damaged`);
  };
  const options: DocumentOptions<Numbered> = { path, schema, onDamage, createName: () => "x", ...parts };
  return { folder, path, damages, options, file: new DocumentFile(options) };
}

/** A disk that notes what is done to it, and fails at one step. */
function notingDisk(steps: string[], failing?: string): DocumentDisk {
  const note =
    <Parameters extends readonly unknown[], Result>(name: string, run: (...parameters: Parameters) => Result) =>
    (...parameters: Parameters): Result => {
      steps.push(name);
      if (name === failing) throw Object.assign(new Error("EIO"), { code: "EIO" });
      return run(...parameters);
    };
  return {
    ...nodeDocumentDisk,
    write: note("write", nodeDocumentDisk.write),
    rename: note("rename", nodeDocumentDisk.rename),
    syncData: note("syncData", nodeDocumentDisk.syncData),
    syncFolder: note("syncFolder", nodeDocumentDisk.syncFolder),
  };
}

describe("a document", () => {
  test("that was written is read again, whole, by a person too, and by its owner only", async () => {
    const { file, path, folder } = scene();
    await file.write({ n: 1 });
    expect(readFileSync(path, "utf8")).toBe('{\n  "n": 1\n}\n');
    expect(await file.read()).toEqual({ n: 1 });
    expect(statSync(path).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
    expect(readdirSync(folder)).toEqual(["n.json"]);
  });

  test("that is missing or empty is none, and takes its initial value", async () => {
    const { file, path, options } = scene();
    expect(await file.read()).toBe(null);
    writeFileSync(path, "");
    expect(await file.read()).toBe(null);
    expect((await openDocument(options, { n: 7 })).data).toEqual({ n: 7 });
  });

  test.each([
    ["none", ["write", "rename"]],
    ["name", ["write", "syncData", "rename", "syncFolder"]],
  ] as const)("is written before it gets its name, and synced as far as %s asks (G1)", async (sync, expected) => {
    const steps: string[] = [];
    const { file } = scene({ sync, disk: notingDisk(steps) });
    await file.write({ n: 1 });
    expect(steps).toEqual(expected);
  });

  test.each(["write", "syncData", "rename"])(
    "is the old one, whole, when %s fails, and no draft stays (G12)",
    async (step) => {
      const { file, options, folder } = scene();
      await file.write({ n: 1 });
      const failing = new DocumentFile({ ...options, disk: notingDisk([], step) });
      await expect(failing.write({ n: 2 })).rejects.toMatchObject({ code: "EIO" });
      expect([await file.read(), readdirSync(folder)]).toEqual([{ n: 1 }, ["n.json"]]);
    },
  );

  test("is not written where a short write shows a full disk", async () => {
    const disk: DocumentDisk = { ...nodeDocumentDisk, write: () => 3 };
    const { file, folder } = scene({ disk });
    await expect(file.write({ n: 1 })).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that does not fit its schema is not written", async () => {
    const { file, folder } = scene();
    const wrong = JSON.parse('{"n":"one"}') as Numbered;
    await expect(file.write(wrong)).rejects.toThrow(/n\.json was not written: n does not fit its schema\.$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("stays when mayReplace says no", async () => {
    const { file, options, folder } = scene();
    await file.write({ n: 2 });
    await new DocumentFile({ ...options, mayReplace: () => false }).write({ n: 1 });
    expect([await file.read(), readdirSync(folder)]).toEqual([{ n: 2 }, ["n.json"]]);
  });
});

describe("a damaged document (G12)", () => {
  test.each([
    ["{ secret", "it is not JSON"],
    ['{"n":"secret"}', "n does not fit its schema"],
    ["[]", "it does not fit its schema"],
  ])("%j is moved aside before it is replaced, and the problem quotes nothing", async (text, problem) => {
    const { file, path, damages } = scene();
    writeFileSync(path, text);
    await file.write({ n: 1 });
    expect(damages).toEqual([{ path, problem, text }]);
    expect([readFileSync(`${path}.damaged`, "utf8"), await file.read()]).toEqual([text, { n: 1 }]);
  });

  test("is left as it is where onDamage does not move it", async () => {
    const { file, path } = scene({ onDamage: () => {} });
    writeFileSync(path, "{");
    await expect(file.write({ n: 1 })).rejects.toThrow("it was left as it is");
    await expect(file.read()).rejects.toThrow("it was left as it is");
    expect(readFileSync(path, "utf8")).toBe("{");
  });
});

test("an option that is given as undefined leaves its default", async () => {
  const { file, path } = scene({ mode: undefined, disk: undefined, sync: undefined, createName: undefined });
  await file.write({ n: 1 });
  expect([JSON.parse(readFileSync(path, "utf8")), statSync(path).mode & 0o777]).toEqual([{ n: 1 }, 0o600]);
});
