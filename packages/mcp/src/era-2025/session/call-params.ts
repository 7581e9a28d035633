import { isJsonObject, isResumableError, type JsonObject } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { parseJson } from "../../http/http-request.js";
import { limits } from "../../limits.js";
import { finishedParams, type SessionDocument, type StoredCall } from "./session-document.js";

/** The kind of the documents that hold the params of one open call each, by the call's id. */
export const callParamsKind = "call-params";

/**
 * Makes what the session's document keeps of the params of an open call. Large ones are kept in a document of their own,
 * which is written once: every call writes the session's document again. They stay text: nothing copies, checks or freezes
 * their values.
 */
export async function keepParams(
  documents: Documents,
  { id, owner, params }: { readonly id: string; readonly owner: string; readonly params: object | undefined },
): Promise<Pick<StoredCall, "params" | "apart">> {
  const text = JSON.stringify(params ?? {});
  if (text.length <= limits.maxInlineParams) return { params: JSON.parse(text) };
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  try {
    await documents.putDocument({ kind: callParamsKind, id, owner, value: text, expectedVersion: 0, now });
  } catch (error) {
    // A call that another process has forgotten is stored again, and they are still there.
    if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
  }
  return { params: isJsonObject(params) ? finishedParams(params, true) : {}, apart: true };
}

/** `undefined` when they were not kept, or cannot be read. */
export async function readParams(documents: Documents, id: string): Promise<JsonObject | undefined> {
  const value = (await documents.getDocument(callParamsKind, id))?.value;
  const params = typeof value === "string" ? parseJson(value) : undefined;
  return isJsonObject(params) ? params : undefined;
}

/** Removes them once the session's document is without the open call; what fails here is removed when it expires. */
export function dropParams(documents: Documents, session: SessionDocument, call: StoredCall | undefined): void {
  if (call?.apart !== true) return;
  const drop = () => documents.deleteDocument(callParamsKind, call.callId);
  session
    .flush()
    .then(drop)
    .catch(() => {});
}
