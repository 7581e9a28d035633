import { readFile } from "node:fs/promises";
import { CommandError, errorSentence } from "@resumable-mcp/command-line";

/** @param where names the URL for people. @throws {@link CommandError} where headers must not be sent there, or nothing can be. */
export function checkUrl(where: string, url: string, hasHeaders: boolean): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`${where} must be http or https, not ${url}.`, 2);
  if (hasHeaders && isOpen(new URL(url)))
    throw new CommandError(`Headers go to https, or to this machine: ${where} ${url} is neither.`, 2);
}

/** Others can read what is sent there. */
function isOpen({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** @throws {@link CommandError} that names the line that is wrong. */
export async function readHeaders(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CommandError(`Cannot read the header file ${file}: ${errorSentence(cause)}.`, 2, cause);
  });
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line, index) => {
      const [, name, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new CommandError(`${file}: line ${index + 1} must be "Name: value".`, 2);
      return [name.toLowerCase(), value];
    }),
  );
}
