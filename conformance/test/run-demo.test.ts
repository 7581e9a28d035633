import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { manifestOf, root } from "../src/repository.js";

/** A repository whose installation and build are these shell commands, and whose demo prints its arguments. */
async function repository({ bootstrap, turbo }: { readonly bootstrap: string; readonly turbo: string }) {
  const folder = await mkdtemp(join(tmpdir(), "run-demo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bin = join(folder, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  await mkdir(join(folder, "scripts"));
  await cp(join(root, "scripts", "run-demo.js"), join(folder, "scripts", "run-demo.js"));
  const scripts = { bootstrap, demo: "node scripts/run-demo.js demo.js" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", scripts }));
  await writeFile(join(folder, "demo.js"), `console.log("demo", ...process.argv.slice(2)); process.exitCode = 3;`);
  await writeFile(join(bin, "turbo"), `#!/bin/sh\n${turbo}\n`);
  await chmod(join(bin, "turbo"), 0o755);
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "demo", "--", "--port", "0"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, npm_config_loglevel: "silent" },
  });
  return { status, stdout, lines: stderr.trimEnd().split("\n") };
}

const installs = expect.stringMatching(/^Installing packages /);

test("the demo says what it does while it installs and builds, and shows nothing that other programs say", async () => {
  const noisy = "echo notice of another; echo warning >&2";
  expect(
    await repository({ bootstrap: noisy, turbo: `${noisy}; echo "telemetry \${TURBO_TELEMETRY_DISABLED:-on}"` }),
  ).toEqual({
    status: 3,
    stdout: "demo --port 0\n",
    lines: [installs, "Building …"],
  });
});

test("of a step that fails the demo shows everything, and how to continue", async () => {
  expect(await repository({ bootstrap: "echo one; echo two >&2; exit 7 #", turbo: "true" })).toEqual({
    status: 1,
    stdout: "",
    lines: [
      installs,
      "one",
      "two",
      "",
      "This failed: npm run --silent bootstrap -- --filter @resumable-mcp/demo... --trust-lockfile",
      "Its output is above. The same command continues where it stopped.",
    ],
  });
  const { status, lines } = await repository({ bootstrap: "true", turbo: "echo no disk; exit 1" });
  expect([status, lines]).toEqual([1, expect.arrayContaining(["Building …", "no disk"])]);
});

test("npm test installs everything, also where the demo has installed its part", () => {
  const { bootstrap = "", test: tests = "" } = manifestOf(".").scripts ?? {};
  expect(bootstrap).toMatch(/ install --frozen-lockfile --prefer-offline$/);
  expect(tests.startsWith("npm run -s bootstrap && ")).toBe(true);
});

test("npm run demo and npm run replicas begin in that way", () => {
  expect(manifestOf(".").scripts).toMatchObject({
    demo: "node scripts/run-demo.js apps/demo/dist/index.js",
    replicas: "node scripts/run-demo.js apps/demo/dist/index.js --replicas",
  });
});
