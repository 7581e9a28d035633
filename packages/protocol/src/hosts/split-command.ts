/**
 * Splits a command line into words as a shell does, without running one: quotes group, and a backslash outside single
 * quotes takes the next character as it is. `undefined` for an empty command and for an open quote. Pure.
 */
export function splitCommand(command: string): [program: string, ...args: string[]] | undefined {
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
  return quote !== "" || program === undefined ? undefined : [program, ...args];
}
