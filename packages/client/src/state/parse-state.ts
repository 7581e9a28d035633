import { z } from "zod";
import { type ClientState, clientStateSchema, stateFormat, stateVersion } from "./client-state.js";

/** What a file turned out to hold. */
export type ParsedState =
  | { readonly kind: "state"; readonly state: ClientState }
  | { readonly kind: "empty" }
  /** No JSON, or of this client and not readable. */
  | { readonly kind: "corrupt"; readonly reason: string }
  | { readonly kind: "newer"; readonly version: number; readonly clientId?: string }
  /** Somebody else's JSON. */
  | { readonly kind: "foreign" };

const marked = z.looseObject({ format: z.literal(stateFormat), version: z.number(), client_id: z.string().optional() });

/** Says what the text of a state file is; never throws. */
export function parseState(text: string): ParsedState {
  if (text.trim() === "") return { kind: "empty" };
  const json = parseJson(text);
  if (json === undefined) return { kind: "corrupt", reason: "it is no JSON" };
  const head = marked.safeParse(json.value);
  if (!head.success) return { kind: "foreign" };
  if (head.data.version > stateVersion) return newer(head.data);
  const state = clientStateSchema.safeParse(json.value);
  if (state.success) return { kind: "state", state: state.data };
  return { kind: "corrupt", reason: z.prettifyError(state.error).split("\n")[0] ?? "a field is wrong" };
}

function newer(head: z.infer<typeof marked>): ParsedState {
  const clientId = head.client_id;
  return { kind: "newer", version: head.version, ...(clientId === undefined ? {} : { clientId }) };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
