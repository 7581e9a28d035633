import type { JsonObject, TaskRecord } from "@resumable-mcp/core";
import { artifactsOf } from "@resumable-mcp/core/store";
import { JsonFields } from "./json-fields.js";

/** A file that a task made, and where it can be read. */
export interface TaskArtifact {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly uri: string;
}

/** The artifacts of a task. */
export function taskArtifacts(record: Pick<TaskRecord, "id" | "remembered">): readonly TaskArtifact[] {
  return artifactsOf(record).map(({ name, mimeType, bytes }) => ({
    ...{ name, mimeType, bytes },
    uri: artifactUri(record.id, name),
  }));
}

/** Writes the artifacts of a task object; `undefined` where there are none. */
export function encodeArtifacts(record: TaskRecord): readonly JsonObject[] | undefined {
  const artifacts = taskArtifacts(record);
  if (artifacts.length === 0) return undefined;
  return artifacts.map(({ name, mimeType, bytes, uri }) => ({ name, mime_type: mimeType, bytes, uri }));
}

/** Reads them; an entry that is none is left out. `undefined` where the task object names none. */
export function decodeArtifacts(fields: JsonFields): readonly TaskArtifact[] | undefined {
  const artifacts = fields.list("artifacts").flatMap((value) => {
    const entry = JsonFields.of(value);
    const [name, uri, bytes] = [entry?.text("name"), entry?.text("uri"), entry?.number("bytes")];
    if (entry === undefined || name === undefined || uri === undefined || bytes === undefined) return [];
    return [{ name, mimeType: entry.text("mime_type") ?? "application/octet-stream", bytes, uri }];
  });
  return artifacts.length === 0 ? undefined : artifacts;
}

/** The URI of an artifact, or of its part from a byte on. */
export function artifactUri(taskId: string, name: string, from?: number): string {
  return `task://${taskId}/artifacts/${encodeURIComponent(name)}${from === undefined ? "" : `?from=${from}`}`;
}

/** Reads the URI of an artifact; `undefined` for any other URI. */
export function parseArtifactUri(
  uri: string,
): { readonly taskId: string; readonly name: string; readonly from?: number } | undefined {
  const [, taskId, written, from] = uriShape.exec(uri) ?? [];
  if (taskId === undefined || written === undefined) return undefined;
  try {
    return { taskId, name: decodeURIComponent(written), ...(from !== undefined && { from: Number(from) }) };
  } catch {
    return undefined;
  }
}

const uriShape = /^task:\/\/([A-Za-z0-9_-]{16,64})\/artifacts\/([^/?#]{1,1200})(?:\?from=(\d{1,15}))?$/;
