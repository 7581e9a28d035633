import { z } from "zod";
import { stateFormat, stateVersion } from "./client-state.js";

/** A state file of a newer program. */
export interface NewerState {
  readonly kind: "newer";
  readonly version: number;
  readonly clientId?: string;
}

const marked = z.looseObject({ format: z.literal(stateFormat), version: z.number(), client_id: z.string().optional() });

/**
 * Says what a file is that does not hold a state of this version; never throws.
 *
 * `corrupt` is no JSON, or of this client and not readable; `foreign` is somebody else's JSON.
 */
export function classifyState(text: string): NewerState | { readonly kind: "corrupt" | "foreign" } {
  const json = parseJson(text);
  if (json === undefined) return { kind: "corrupt" };
  const head = marked.safeParse(json.value);
  if (!head.success) return { kind: "foreign" };
  const { version, client_id: clientId } = head.data;
  if (version <= stateVersion) return { kind: "corrupt" };
  return { kind: "newer", version, ...(clientId === undefined ? {} : { clientId }) };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
