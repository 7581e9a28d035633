import type { Store, StoredDocument } from "../store.js";
import { isolate, type Memory } from "./memory.js";
import { documentConflict } from "./memory-error.js";

/** The name of a document among those of all kinds. */
export function documentName(kind: string, id: string): string {
  return JSON.stringify([kind, id]);
}

/** Writes a document when its version is the expected one. */
export function putDocument(
  { documents }: Memory,
  { kind, id, owner, value, expectedVersion, now }: Parameters<Store["putDocument"]>[0],
): StoredDocument {
  const name = documentName(kind, id);
  if ((documents.get(name)?.version ?? 0) !== expectedVersion) throw documentConflict(kind, id);
  const updatedAt = new Date(now.wallMs).toISOString();
  const document = isolate({ kind, id, owner, value, version: expectedVersion + 1, updatedAt }, "document");
  documents.set(name, document);
  return document;
}

/** Documents of a kind that were last put before a time, oldest first. */
export function listIdleDocuments(
  { documents }: Memory,
  { kind, idleSinceMs, limit }: Parameters<Store["listIdleDocuments"]>[0],
): readonly StoredDocument[] {
  return [...documents.values()]
    .filter((document) => document.kind === kind && Date.parse(document.updatedAt) < idleSinceMs)
    .sort((left, right) => (left.updatedAt < right.updatedAt ? -1 : 1))
    .slice(0, limit);
}
