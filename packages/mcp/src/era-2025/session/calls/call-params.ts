import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { parseJson } from "@resumable-mcp/protocol";

/** The kind of the documents that hold the params of one call each that runs again, by the call's id, where its name has no place for them. */
export const callParamsKind = "call-params";

/** They stay text: nothing copies, checks or freezes their values. */
export async function keepParams(documents: Documents, id: string, owner: string, params: object = {}): Promise<void> {
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  const value = JSON.stringify(params);
  await documents.putDocument({ kind: callParamsKind, id, owner, value, expectedVersion: 0, now });
}

/** `undefined` when they were not kept for this owner, or were removed. */
export async function readParams(documents: Documents, id: string, owner: string): Promise<JsonObject | undefined> {
  const document = await documents.getDocument(callParamsKind, id);
  if (document?.owner !== owner || typeof document.value !== "string") return undefined;
  const params = parseJson(document.value);
  return isJsonObject(params) ? params : undefined;
}
