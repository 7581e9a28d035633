import { checkServer } from "./check-server.js";

/** How the check of checkpoints is called. */
export const checkpointUsage = `npm run conformance -- checkpoint [--after N] TOOL ARGUMENTS -- COMMAND…

Says of a server which rules of docs/checkpoint-extension.md it keeps. TOOL gives the same for ARGUMENTS (JSON) each time, and sends more
than N (1) checkpoints. It is called four times, each time of a server that COMMAND starts, and that is killed.`;

/** Checks the server of the command line, prints a line for each rule, and exits with 1 where a MUST does not hold. */
export async function checkCommand(words: readonly string[]): Promise<void> {
  const end = words.indexOf("--");
  const [command, ...args] = end < 0 ? [] : words.slice(end + 1);
  const own = words.slice(0, Math.max(end, 0));
  const killAfter = own[0] === "--after" ? Number(own[1]) : 1;
  const [tool, input] = own[0] === "--after" ? own.slice(2) : own;
  if (command === undefined || tool === undefined || input === undefined || !(killAfter >= 1)) {
    console.error(checkpointUsage);
    process.exitCode = 2;
    return;
  }
  const findings = await checkServer({ command, args, tool, input: JSON.parse(input), killAfter });
  for (const { rule, word, says, holds } of findings)
    console.log(`${holds ? "holds" : "DOES NOT HOLD"}  rule ${rule} (${word}): ${says}`);
  if (findings.some(({ word, holds }) => word === "MUST" && !holds)) process.exitCode = 1;
}
