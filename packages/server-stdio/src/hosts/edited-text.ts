import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@resumable-mcp/command-line";

/** What a configuration file holds, or a part of it. */
export type Values = Record<string, unknown>;

/** Whether a value is an object with properties of its own, as a table and a map are. */
export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The servers in what a file holds; none where the file does not mention them. */
export function serversIn(values: Values, key: string, file: string): Values {
  const servers = values[key] ?? {};
  if (isValues(servers)) return servers;
  throw new CommandError(`"${key}" of ${file} does not hold servers by name. It was left as it is: fix it first.`);
}

/** No change is worth more than the file: the edited text has to say exactly what was meant. */
export function checkEdited(readEdited: () => Values, meant: Values, file: string): void {
  try {
    if (isDeepStrictEqual(readEdited(), meant)) return;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  throw new CommandError(
    `${file} cannot be changed without side effects on other entries. It was left as it is: change it by hand.`,
  );
}

/** The line end that a text has. */
export function findLineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The place behind the line that holds an offset, its line end included. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** The beginning of the line that holds an offset. */
export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
