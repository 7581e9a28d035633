import { isResumableError, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { artifactUri, parseArtifactUri, rpcCodes } from "@resumable-mcp/protocol";
import { RpcError } from "../call/rpc-error.js";
import { limits } from "../limits.js";

/**
 * Reads an artifact, or its part from a byte on, as a resource. That of a foreign task is answered like one that does not exist.
 *
 * Limits: `maxReadArtifactBytes` of it; a larger one is read in parts.
 */
export async function readArtifactResource(tasks: OwnedTasks, uri: string): Promise<{ contents: JsonObject[] }> {
  const { taskId, name, from } = parseArtifactUri(uri) ?? { taskId: "", name: "" };
  const { maxReadArtifactBytes: most } = limits;
  const artifact = await tasks.artifact(taskId, name).catch((error: unknown) => {
    if (isResumableError(error, "TASK_NOT_FOUND", "UNKNOWN_ARTIFACT")) throw notFound(uri);
    throw error;
  });
  const { mimeType, bytes } = artifact;
  if (from === undefined && bytes > most) {
    const parts = `Read it in parts, from ${artifactUri(taskId, name, 0)}, ${artifactUri(taskId, name, most)} … on`;
    throw new RpcError(
      rpcCodes.invalidParams,
      `The artifact has ${bytes} bytes, and one read gives ${most} of them (maxReadArtifactBytes). ${parts}, or GET /artifacts/${taskId}/${encodeURIComponent(name)} behind the address of this endpoint over HTTP.`,
      { uri },
    );
  }
  const parts: Uint8Array[] = [];
  const first = from ?? 0;
  for await (const part of artifact.read(first, first + most)) parts.push(part);
  const content = Buffer.concat(parts);
  const text = from === undefined && isText.test(mimeType) ? decoded(content) : undefined;
  const body: JsonObject = text === undefined ? { blob: content.toString("base64") } : { text };
  return { contents: [{ uri, mimeType, ...body }] };
}

const isText = /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml)\b)/;

/** `undefined` for what is not UTF-8, whatever its author calls it. */
function decoded(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function notFound(uri: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, "Resource not found", { uri });
}
