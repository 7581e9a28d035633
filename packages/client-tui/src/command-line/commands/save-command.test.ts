import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@resumable-mcp/client";
import type { TaskArtifact } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { CommandContext } from "../command.js";
import { safeName, save } from "./save-command.js";

/** A task with these files, in an empty folder that is the present one. */
function scene(files: { readonly [name: string]: string }, broken = false) {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "save-"));
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  const artifacts = Object.entries(files).map(([name, text]) => ({ name, mimeType: "", bytes: text.length, uri: "" }));
  async function* artifact({ name }: TaskArtifact) {
    yield Buffer.from(files[name] ?? "");
    if (broken) throw new Error("The connection broke.");
  }
  const client = { task: () => ({ info: async () => ({ artifacts }), artifact }) } as unknown as Client;
  const lines: string[] = [];
  const output = { result: (_json: object, text: readonly string[]) => void lines.push(...text) };
  const run = (...words: string[]) => save({ client, output, line: { words } } as unknown as CommandContext);
  return { folder, lines, run };
}

test("saves all files of a task, or those named, and writes over none", async () => {
  const { folder, run, lines } = scene({ "a.csv": "one", "b.csv": "two" });
  await run("id", "b.csv");
  expect(readdirSync(folder)).toEqual(["b.csv"]);
  rmSync("b.csv");
  writeFileSync("b.csv", "mine");
  await expect(run("id")).rejects.toThrow("There is a file b.csv here already");
  expect([readFileSync("a.csv", "utf8"), readFileSync("b.csv", "utf8")]).toEqual(["one", "mine"]);
  expect(lines).toEqual(["b.csv  3 bytes", "a.csv  3 bytes"]);
  await expect(run("id", "c.csv")).rejects.toThrow('Its files: "a.csv", "b.csv".');
});

test("leaves no part of a file whose reading broke", async () => {
  const { folder, run } = scene({ "a.csv": "one" }, true);
  await expect(run("id")).rejects.toThrow("broke");
  expect(readdirSync(folder)).toEqual([]);
});

test("saves a file of a hostile name in this folder, under a name that does nothing else", async () => {
  const { folder, run } = scene({ "../../escaped": "x" });
  await run("id");
  expect([readdirSync(folder), existsSync(join(folder, "../../escaped"))]).toEqual([["___.._escaped"], false]);
  const names = ["/etc/passwd", "..", "", ".bashrc", "-rf", "a\u0000b\u202ec", "C:\\x", "con.txt", "x.".repeat(100)];
  for (const name of names) expect(safeName(name)).toMatch(/^(?!\.|-)[^/\\:\p{C}]{1,129}$/u);
  expect(safeName("Report 2026 (final).pdf")).toBe("Report 2026 (final).pdf");
});
