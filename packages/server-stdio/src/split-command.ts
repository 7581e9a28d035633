import { CommandError } from "@resumable-mcp/mcp/command-line";

/**
 * Splits a command as a shell would, without running one: words, single and double quotes, backslashes. Pure.
 *
 * @throws {@link CommandError} for an empty command or an open quote.
 */
export function splitCommand(command: string): [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < command.length; index++) {
    const letter = command.charAt(index);
    if (letter === quote) quote = "";
    else if (quote === "" && (letter === '"' || letter === "'")) [quote, word] = [letter, word ?? ""];
    else if (letter === "\\" && quote !== "'" && index + 1 < command.length)
      word = (word ?? "") + command.charAt(++index);
    else if (quote === "" && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (word !== undefined) words.push(word);
  const [program, ...args] = words;
  if (quote !== "" || program === undefined)
    throw new CommandError(`--command is no command: ${JSON.stringify(command)}.`, 2);
  // With an empty PATH, as some hosts have it, our own Node is still there.
  return [program === "node" ? process.execPath : program, ...args];
}
