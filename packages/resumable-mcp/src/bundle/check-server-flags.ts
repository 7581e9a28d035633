import { execFile } from "node:child_process";
import { isAbsolute } from "node:path";
import { promisify } from "node:util";
import { CommandError } from "@resumable-mcp/command-line";
import { findFile } from "../command-line/run-program.js";

const run = promisify(execFile);

/** Options that name a file or a folder. */
const pathFlags = /^--(store|keyring|store-password-file|webhook-secret-file|settings)(?:=(.*))?$/s;

/**
 * Checks the options with which a host is to start the server, as the server's own program does.
 *
 * @throws {@link CommandError} that says which option is wrong.
 */
export async function checkServerFlags(module: string, name: string, given: readonly string[]): Promise<void> {
  if (given.length === 0) return;
  for (const [index, word] of given.entries()) {
    const [found, flag, joined] = pathFlags.exec(word) ?? [];
    const path = joined ?? given[index + 1] ?? "";
    if (found === undefined || isAbsolute(path) || path.startsWith("${") || path.includes("://")) continue;
    const text = `--${flag} ${path} would be looked for in the folder in which the host starts the server. Give an absolute path.`;
    throw new CommandError(text, 2);
  }
  const program = findFile({ package: "@resumable-mcp/server-stdio", bin: "resumable-mcp-stdio" });
  try {
    await run(process.execPath, [program, module, "--name", name, "--print-config", "claude-desktop", ...given]);
  } catch (error) {
    const said = String(Reflect.get(Object(error), "stderr"))
      .trim()
      .replace(/^[\w-]+: /, "");
    throw new CommandError(`The options after -- are not for a server: ${said}`, 2, error);
  }
}
