import type { ServerInfo, ServerTest } from "@resumable-mcp/client";
import { countText, cutText, plainText, textWidth } from "../../display/plain-text.js";
import { serverLabel, serverWordAfter } from "../../display/server-label.js";

/** A server as its screen shows it. */
export interface SeenServer {
  readonly info: ServerInfo;
  /** What it answered when it was last asked. */
  readonly test?: ServerTest | undefined;
  /** When its connection came to stand as it stands, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The line of a server: a mark that reads without colour, its name, and how it stands, for which a long address gives way. */
export function serverLine({ info, sinceMs }: SeenServer, nowMs: number, columns: number): string {
  const { name, address, state } = info;
  const lineOf = (place: string) => {
    const parts = [...(name === undefined ? [] : [name]), place, standing(state, nowMs - sinceMs)];
    return `${markOf(state)} ${parts.map(plainText).join("  ")}`;
  };
  const whole = lineOf(address);
  return cutText(textWidth(whole) <= columns ? whole : lineOf(serverLabel({ address })), columns);
}

function markOf({ name }: ServerInfo["state"]): string {
  return name === "connected" ? "+" : name === "down" ? "x" : "…";
}

function standing(state: ServerInfo["state"], passedMs: number): string {
  const word = serverWordAfter(state, passedMs);
  return state.name === "waiting" ? `${word}: ${state.reason}` : word;
}

/** What is known of the server at the cursor, and what to try when it does not answer. */
export function serverDetails({ info, test }: SeenServer): readonly string[] {
  return [plainText(testText(test)), plainText(`session ${info.sessionId ?? "none"}`)];
}

function testText(test: ServerTest | undefined): string {
  if (test === undefined) return "Enter tests it.";
  if (!test.ok) return test.problem ?? "It does not answer.";
  const tasks = test.resumable === true ? "its tasks can be resumed" : "its calls cannot be resumed";
  const tools = test.tools === undefined ? "" : `: ${countText(test.tools, "tool")}, ${tasks}`;
  return `answers in ${test.milliseconds} ms${tools}`;
}
