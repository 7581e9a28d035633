import { open } from "node:fs/promises";
import { parseJson } from "@resumable-mcp/protocol";
import { z } from "zod";

/** Bytes of a session state file that is read; one that is larger is not one. */
const maxSessionStateBytes = 1024 * 1024;

/** What is taken from the state file of the walkthrough's client; its task ids are invented, so its tasks are not. */
const sessionState = z.looseObject({
  client_id: z.string().regex(/^[\w.:-]{8,256}$/),
  server_url: z.string().optional(),
});

/** What a `session_state.json` turned out to hold. */
export type SessionState =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly clientId: string; readonly serverUrl?: string }
  | { readonly kind: "unusable"; readonly reason: string };

/**
 * Reads the state file of the walkthrough's client (feature 45) and never changes it; never throws.
 *
 * Its fields are `client_id session_id server_url active_tasks completed_tasks created_at`.
 */
export async function readSessionState(path: string): Promise<SessionState> {
  try {
    const text = await readLimited(path);
    return text === undefined ? unusable(`it has more than ${maxSessionStateBytes} bytes`) : parseSessionState(text);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { kind: "none" };
    return unusable(error instanceof Error ? error.message : String(error));
  }
}

/** Says what the text of a `session_state.json` is. Pure. */
export function parseSessionState(text: string): SessionState {
  const parsed = sessionState.safeParse(parseJson(text));
  if (!parsed.success) {
    const isJson = parseJson(text) !== undefined;
    return unusable(isJson ? "it holds no client_id of 8 to 256 letters, digits, - _ . :" : "it is not valid JSON");
  }
  const { client_id: clientId, server_url: serverUrl } = parsed.data;
  return { kind: "found", clientId, ...(isHttpAddress(serverUrl) ? { serverUrl } : {}) };
}

function unusable(reason: string): SessionState {
  return { kind: "unusable", reason };
}

function isHttpAddress(text: string | undefined): text is string {
  return text !== undefined && /^https?:/.test(text) && URL.canParse(text);
}

async function readLimited(path: string): Promise<string | undefined> {
  const file = await open(path, "r");
  try {
    return (await file.stat()).size > maxSessionStateBytes ? undefined : await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
