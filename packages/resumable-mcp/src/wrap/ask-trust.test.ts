import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { askTrust } from "./ask-trust.js";

async function askOf(command: string, answer: boolean, ruled: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "ask-trust-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = fileURLToPath(new URL("../../../wrap/test/raw-server.js", import.meta.url));
  const start = { command, args: [program, join(folder, "effects")], env: {} };
  const said: string[] = [];
  const ask = async (question: string) => said.push(question) > 0 && answer;
  const options = await askTrust({ name: "raw", start, ruled }, { show: (text) => void said.push(text), ask });
  return { options, said };
}

test("the tools that a server annotates are shown, and trusted only where the user says so", async () => {
  const trusted = await askOf("node", true);
  expect(trusted.options).toEqual(["--trust-annotations"]);
  expect(trusted.said[0]).toContain("only read, or may be called twice: safe, ask.\n");
  expect(trusted.said).toHaveLength(2);
  const declined = await askOf("node", false);
  expect(declined.options).toEqual([]);
  expect(declined.said[2]).toContain("Their calls are not made again. Allow it with --trust-annotations");
});

test("what the user has ruled is not asked", async () => {
  expect((await askOf("node", true, ["safe"])).said[0]).toContain("twice: ask.\n");
  expect(await askOf("node", true, ["safe", "ask"])).toEqual({ options: [], said: [] });
});

test("a server that does not start is trusted in nothing, and the user hears why", async () => {
  const { options, said } = await askOf("no-such-program", true);
  expect(options).toEqual([]);
  expect(said).toEqual([expect.stringContaining("raw could not be asked what it says of its tools: The program")]);
});
