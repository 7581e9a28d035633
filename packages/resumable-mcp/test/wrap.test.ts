import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder, start } from "./program.js";

test.each([
  [["wrap"], "Write the server's command after --"],
  [["wrap", "node", "x.js"], "node stands before --."],
  [["wrap", "--url", "ftp://x"], "--url must be http or https, not ftp://x."],
  [["wrap", "--url", "http://example.com/mcp", "--header-file", "headers"], "Headers go to https, or to this machine"],
  [["wrap", "--url", "https://example.com/mcp", "--header-file", "none"], "Cannot read the header file none"],
  [["wrap", "--url", "https://example.com/mcp", "--header-file", "headers"], 'headers: line 1 must be "Name: value".'],
  [["wrap", "--repeat", "work=often", "--", "node", "x.js"], "often"],
  [["wrap", "install", "cursor"], "Name the host and the server"],
  [["wrap", "--no-supervise", "--", "no-such-program"], "The program no-such-program was not found."],
])("%j is refused with what to do", async (args, sentence) => {
  const folder = await projectFolder();
  await writeFile(join(folder, "headers"), "no colon\n");
  const program = start(args, folder);
  expect(await program.ended).not.toBe(0);
  expect(program.output()).toContain(sentence);
});

test("help says how a server is wrapped, and lists the options of wrap first", async () => {
  const program = start(["wrap", "--help"], await projectFolder());
  expect(await program.ended).toBe(0);
  expect(program.output()).toMatch(/Usage: resumable-mcp wrap \[OPTIONS\] -- COMMAND[\s\S]*the server\n {2}--url URL/);
});
