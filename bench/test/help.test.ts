import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, word: string): Promise<Ending> {
  const path = fileURLToPath(new URL(`../dist/${program}.js`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, word], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test.each([
  ["index", "bench"],
  ["storm", "storm"],
  ["crashes", "crashes"],
  ["crash-images", "crash-images"],
])("%s prints its usage, also after an option that it does not know", async (program, script) => {
  const help = await run(program, "--help");
  expect(help).toEqual({
    code: 0,
    stdout: expect.stringContaining(`Usage: npm run ${script} -- [options]`),
    stderr: "",
  });
  expect(await run(program, "-h")).toEqual(help);
  const { code, stdout, stderr } = await run(program, "--unknown");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^Unknown option '--unknown'/);
  expect(stderr.endsWith(`\n\n${help.stdout}`)).toBe(true);
});
