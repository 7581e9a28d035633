import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { killAll, run, startInTerminal } from "./processes.js";

const server = fileURLToPath(new URL("./asking-server.mjs", import.meta.url));

async function words(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "other-servers-"));
  onTestFinished(async () => {
    await killAll();
    await rm(folder, { recursive: true });
  });
  return ["call", "greet", "--stdio", `"${process.execPath}" "${server}"`, "--state", join(folder, "state.json")];
}

const named = "[image image/png, 3 KiB]\n[link card, file:///card.pdf]\n";

test("what a tool of another server asks is answered in the terminal, and its image and its link are named", async () => {
  const terminal = startInTerminal(...(await words()));
  await terminal.seen(/The tool asks: Who are you\?[\s\S]*name, - declines the question: /);
  await terminal.press("Ada\n");
  expect(await terminal.ended).toBe(0);
  expect(terminal.stdout().replaceAll("\r\n", "\n")).toContain(`accept Ada\n${named}`);
});

test("without a terminal such a question is dismissed, and the user learns it", async () => {
  const { code, stdout, stderr } = await run(...(await words()));
  expect([code, stdout]).toEqual([0, `cancel nothing\n${named}`]);
  expect(stderr).toContain("The tool asks: Who are you?\nNothing was answered, since this is not a terminal.");
});
