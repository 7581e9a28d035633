import type { ServerInfo } from "@resumable-mcp/client";
import { plainText } from "./plain-text.js";
import { formatDuration } from "./progress-line.js";

type KnownServer = Pick<ServerInfo, "name" | "address">;

/** A server as a person tells it apart: the name they gave it, else host, port and path, or the file of a command. */
export function serverLabel({ name, address }: KnownServer): string {
  return plainText(name ?? addressLabel(address));
}

/** The label of the server at an address. */
export function serverLabelAt(address: string, servers: readonly KnownServer[]): string {
  return serverLabel(servers.find((server) => server.address === address) ?? { address });
}

function addressLabel(address: string): string {
  if (!URL.canParse(address)) return commandLabel(address);
  const { protocol, host, pathname } = new URL(address);
  if (!protocol.startsWith("http")) return commandLabel(address);
  return pathname === "/mcp" || pathname === "/" ? host : host + pathname;
}

/** The file that a command runs, without its folders. */
function commandLabel(command: string): string {
  const words = command.split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));
  const script = words.find((word) => /\.[cm]?[jt]s$/.test(word)) ?? words[0] ?? command;
  return script.split(/[\\/]/).at(-1) ?? script;
}

/** How a server stands, so long after it came to stand so: the time until the next attempt runs down. */
export function serverWordAfter(state: ServerInfo["state"], passedMs: number): string {
  return serverWord(
    state.name === "waiting" ? { ...state, nextDelayMs: Math.max(0, state.nextDelayMs - passedMs) } : state,
  );
}

/** How a server stands, in words. */
export function serverWord(state: ServerInfo["state"]): string {
  if (state.name === "waiting")
    return `reconnecting in ${formatDuration(state.nextDelayMs + 999)} (attempt ${state.attempt})`;
  if (state.name === "connecting") return state.known ? "reconnecting" : "connecting";
  if (state.name === "down") return `down: ${plainText(state.reason)}`;
  return { connected: "live", idle: "not contacted yet", closed: "closed" }[state.name];
}
