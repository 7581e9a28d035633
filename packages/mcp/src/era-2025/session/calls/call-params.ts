import { isJsonObject, isResumableError, type Json, type JsonObject } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { parseJson } from "@resumable-mcp/protocol";
import { limits } from "../../../limits.js";
import { finishedParams, type SessionDocument, type StoredCall } from "../session-document.js";

/** The kind of the documents that hold the params of one open call each, by the call's id. */
export const callParamsKind = "call-params";

/** Whose params they are. */
interface ParamsOwner {
  readonly callId: string;
  readonly session: { readonly id: string; readonly owner: string };
}

/**
 * Makes what the session's document keeps of the params of an open call. Large ones are kept in a document of their own,
 * which is written once: every call writes the session's document again. They stay text: nothing copies, checks or freezes
 * their values.
 */
export async function keepParams(
  documents: Documents,
  { callId: id, session }: ParamsOwner,
  params: object | undefined,
): Promise<Pick<StoredCall, "params" | "apart">> {
  const text = JSON.stringify(params ?? {});
  if (text.length <= limits.maxInlineParams) return { params: JSON.parse(text) };
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  const value = { session: session.id, params: text };
  try {
    await documents.putDocument({ kind: callParamsKind, id, owner: session.owner, value, expectedVersion: 0, now });
  } catch (error) {
    // A call that another process has forgotten is stored again, and they are still there.
    if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
  }
  return { params: isJsonObject(params) ? finishedParams(params, true) : {}, apart: true };
}

/** `undefined` when they were not kept, or cannot be read. */
export async function readParams(documents: Documents, id: string): Promise<JsonObject | undefined> {
  const value = (await documents.getDocument(callParamsKind, id))?.value;
  const params = isJsonObject(value) && typeof value.params === "string" ? parseJson(value.params) : undefined;
  return isJsonObject(params) ? params : undefined;
}

/** The session that params belong to. */
export function sessionOfParams(value: Json): string {
  return isJsonObject(value) ? String(value.session) : "";
}

/** Puts off their end. */
export async function touchParams(documents: Documents, id: string): Promise<void> {
  const document = await documents.getDocument(callParamsKind, id);
  if (document === undefined) return;
  const { kind, owner, value, version: expectedVersion } = document;
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  await documents.putDocument({ kind, id, owner, value, expectedVersion, now });
}

/** Removes them once the session's document is without the open call; what fails here is removed when it expires. */
export function dropParams(documents: Documents, session: SessionDocument, call: StoredCall | undefined): void {
  if (call?.apart !== true) return;
  session
    .flush()
    .catch((error: unknown) => {
      // The session has ended.
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    })
    .then(() => documents.deleteDocument(callParamsKind, call.callId))
    .catch(() => {});
}

/** Removes those of the open calls of a session that has ended. */
export async function dropAllParams(
  documents: Pick<Documents, "deleteDocument">,
  calls: readonly StoredCall[] = [],
): Promise<void> {
  for (const { callId, apart } of calls) {
    if (apart === true) await documents.deleteDocument(callParamsKind, callId);
  }
}
