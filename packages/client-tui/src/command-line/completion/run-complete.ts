import { exitCodes } from "../exit-code.js";
import { parseCommandLine } from "../parse-command-line.js";
import { clientSource } from "./client-source.js";
import { complete } from "./complete.js";

/** What a shell asks when Tab is pressed: prints one word a line. Whatever goes wrong, it stays silent. */
export async function runComplete(words: readonly string[]): Promise<number> {
  try {
    const { servers, state } = settingsOf(words);
    const source = clientSource({
      ...(servers.length === 0 ? {} : { servers }),
      ...(state === undefined ? {} : { stateFile: state }),
    });
    for (const word of await complete(words, source)) process.stdout.write(`${word}\n`);
  } catch {
    // A message would stand in the middle of the line that is being typed.
  }
  return exitCodes.ok;
}

/** The servers and the state file that the unfinished line names already. */
function settingsOf(words: readonly string[]) {
  const named = ["--url", "--stdio", "--state", "--server"];
  const known = words.slice(0, -1).flatMap((word, index) => {
    const value = words[index + 1];
    return named.includes(word) && value !== undefined && index + 1 < words.length - 1 ? [word, value] : [];
  });
  return parseCommandLine(known, process.env);
}
