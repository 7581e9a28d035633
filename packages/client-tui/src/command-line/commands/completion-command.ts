import { completionScript, shellNames } from "../completion/completion-script.js";
import { exitCodes, UsageError } from "../exit-code.js";

/** `completion bash|zsh|fish`: prints the script that teaches a shell to complete this program. */
export function completionCommand(words: readonly string[]): number {
  const shell = shellNames.find((known) => known === words[0]);
  if (shell === undefined) throw new UsageError(`completion needs the name of a shell: ${shellNames.join(", ")}.`);
  process.stdout.write(completionScript(shell));
  return exitCodes.ok;
}
