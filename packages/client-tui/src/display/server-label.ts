import { plainText } from "./plain-text.js";

/** A server's address as a person tells it apart: host, port and path of a URL, or the last word of a command. */
export function serverLabel(address: string): string {
  if (!URL.canParse(address)) return commandLabel(plainText(address));
  const { protocol, host, pathname } = new URL(address);
  if (!protocol.startsWith("http")) return commandLabel(plainText(address));
  return pathname === "/mcp" || pathname === "/" ? host : host + pathname;
}

/** The file that a command runs, without its folders. */
function commandLabel(command: string): string {
  const words = command.split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));
  const script = words.find((word) => /\.[cm]?[jt]s$/.test(word)) ?? words[0] ?? command;
  return script.split(/[\\/]/).at(-1) ?? script;
}
