import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { nodeDocumentDisk } from "./document-disk.js";
import { FirstDocumentFile, type FirstDocumentOptions, writeFirstDocument } from "./first-document-file.js";

const schema = z.object({ n: z.number() });
type Numbered = z.infer<typeof schema>;

function scene(parts: Partial<FirstDocumentOptions<Numbered>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "documents-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "n.json");
  const damages: string[] = [];
  const onDamage = ({ problem }: { readonly problem: string }) => void damages.push(problem);
  const options: FirstDocumentOptions<Numbered> = { path, schema, sync: "content", onDamage, ...parts };
  return { folder, path, damages, options, file: new FirstDocumentFile(options) };
}

describe("a document that is written once", () => {
  test("is written by one of several processes, and what stands there stays", () => {
    const { options, path, folder, file } = scene();
    expect(file.read()).toBe(null);
    expect([1, 2, 3].map((n) => writeFirstDocument(options, { n }))).toEqual([true, false, false]);
    expect([file.read(), readFileSync(path, "utf8")]).toEqual([{ n: 1 }, '{\n  "n": 1\n}\n']);
    expect(readdirSync(folder)).toEqual(["n.json"]);
  });

  test("has its name only when its content is synced (G1)", () => {
    const steps: string[] = [];
    const disk: typeof nodeDocumentDisk = {
      ...nodeDocumentDisk,
      syncDataNow(file) {
        steps.push("sync");
        nodeDocumentDisk.syncDataNow(file);
      },
      link(from, to) {
        steps.push("link");
        nodeDocumentDisk.link(from, to);
      },
    };
    writeFirstDocument(scene({ disk }).options, { n: 1 });
    writeFirstDocument(scene({ disk, sync: "none" }).options, { n: 1 });
    expect(steps).toEqual(["sync", "link", "link"]);
  });

  test.each(["", "{", '{"n":"one"}'])("that holds %j is damaged, and never overwritten (G12)", (text) => {
    const { options, path, file, damages } = scene();
    writeFileSync(path, text);
    expect([file.read(), damages.length]).toEqual([null, 1]);
    expect(writeFirstDocument(options, { n: 1 })).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("that does not fit its schema is not written", () => {
    const { options, folder } = scene();
    expect(() => writeFirstDocument(options, JSON.parse("{}") as Numbered)).toThrow("n does not fit its schema");
    expect(readdirSync(folder)).toEqual([]);
  });
});
