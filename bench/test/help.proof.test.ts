import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { measures } from "../src/measures/all-measures.js";
import { temporaryFolder } from "../src/stores/stored-tasks.js";

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, words: readonly string[], cwd?: string): Promise<Ending> {
  const path = fileURLToPath(new URL(`../dist/${program}.js`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...words], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test.each([
  ["index", "bench --"],
  ["storm", "storm --"],
  ["crashes", "proof -- crashes"],
  ["crash-images", "proof -- crash-images"],
  ["fuzz", "fuzz --"],
])("%s prints its usage, also after an option that it does not know", async (program, script) => {
  const help = await run(program, ["--help"]);
  expect(help).toEqual({
    code: 0,
    stdout: expect.stringContaining(`Usage: npm run ${script} [options]`),
    stderr: "",
  });
  expect(await run(program, ["-h"])).toEqual(help);
  const { code, stdout, stderr } = await run(program, ["--unknown"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^Unknown option '--unknown'/);
  expect(stderr.endsWith(`\n\n${help.stdout}`)).toBe(true);
});

test("bench refuses a name that no measure has, and writes no figures", async () => {
  const { directory, remove } = await temporaryFolder();
  onTestFinished(remove);
  expect(await run("index", ["--only", "no-measure", "--only", "open"], directory)).toEqual({
    code: 2,
    stdout: "",
    stderr: `No measure has "no-measure" in its id. There are: ${measures.map(({ id }) => id).join(", ")}.\n`,
  });
  expect(await readdir(directory)).toEqual([]);
});

test.each([
  ["storm", ["--kills", "abc"], '--kills takes a whole number of at least 1, not "abc".'],
  ["storm", ["--tasks", "0"], '--tasks takes a whole number of at least 1, not "0".'],
  ["crashes", ["--replicas", "1.5"], '--replicas takes a whole number of at least 1, not "1.5".'],
  ["crashes", ["--durability", "disk"], '--durability takes machine or process, not "disk".'],
  [
    "fuzz",
    ["--over", "nothing"],
    'There is no target "nothing". There are: http-tokens, http-local, stdio-supervised, stdio-alone.',
  ],
  ["fuzz", ["--only", "1.5"], '--only takes whole numbers with commas between them, not "1.5".'],
  ["crash-images", ["--seed", "-1"], "Option '--seed' argument is ambiguous."],
  ["crash-images", ["--seed=-1"], '--seed takes a whole number of at least 0, not "-1".'],
])("%s refuses %j", async (program, words, message) => {
  const { code, stdout, stderr } = await run(program, words);
  expect({ code, stdout, message: stderr.split("\n")[0] }).toEqual({ code: 2, stdout: "", message });
});
