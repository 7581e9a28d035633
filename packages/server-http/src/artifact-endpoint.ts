import { type Engine, isResumableError } from "@resumable-mcp/core";
import { HttpAnswer, type HttpRequest, ownerOfToken, type RequestContext } from "@resumable-mcp/mcp";
import { tasksOfCaller, tasksWithin, unknownLocality } from "@resumable-mcp/mcp/internal";

type Artifact = Awaited<ReturnType<ReturnType<Engine["forOwner"]>["artifact"]>>;

/** A file that a tool made may be anything: no browser shows it as a page of this server. */
const shielded = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "private, no-store",
};
const plain = { ...shielded, "content-type": "text/plain;charset=UTF-8" };

/** Whether a path is that of an artifact, `ENDPOINT/artifacts/TASK/NAME`. @param path of the endpoint. */
export function isArtifactPath(pathname: string, path: string): boolean {
  return pathname.startsWith(`${path}/artifacts/`);
}

/**
 * Answers GET and HEAD of artifacts to the callers who may read their tasks, by token or as the user of this machine. A foreign task is
 * answered like one that does not exist.
 *
 * Source: RFC 9110, section 14 (ranges); RFC 6266 and RFC 8187 (`Content-Disposition`).
 */
export async function answerArtifact(
  engine: Engine,
  request: HttpRequest,
  { authInfo: token, locality = unknownLocality }: RequestContext,
): Promise<HttpAnswer> {
  if (request.method !== "GET" && request.method !== "HEAD")
    return new HttpAnswer(405, { ...plain, allow: "GET, HEAD" }, "Use GET.\n");
  const [taskId, name] = wordsOf(request.url.pathname);
  try {
    const tasks = tasksOfCaller(engine, { authenticated: ownerOfToken(token), locality });
    const found = await tasksWithin(engine, tasks, { token, locality }).artifact(taskId, name);
    return answerWith(found, request);
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND", "UNKNOWN_ARTIFACT"))
      return new HttpAnswer(404, plain, "Not found.\n");
    if (isResumableError(error, "INSUFFICIENT_SCOPE")) return new HttpAnswer(403, plain, `${error.message}\n`);
    if (isResumableError(error, "NO_OWNER"))
      return new HttpAnswer(
        401,
        plain,
        "Send a token, or read the resource by MCP in the session that owns the task.\n",
      );
    throw error;
  }
}

/** What does not decode names nothing. */
function wordsOf(pathname: string): readonly [taskId: string, name: string] {
  const [name = "", taskId = ""] = pathname.split("/").reverse();
  try {
    return [taskId, decodeURIComponent(name)];
  } catch {
    return [taskId, ""];
  }
}

function answerWith(artifact: Artifact, request: HttpRequest): HttpAnswer {
  const { name, mimeType, bytes, id } = artifact;
  const etag = `"${id}"`;
  const ifRange = request.header("if-range");
  const range = ifRange === undefined || ifRange === etag ? rangeOf(request.header("range"), bytes) : undefined;
  const headers = {
    ...shielded,
    "content-type": mimeType,
    "content-disposition": `attachment; filename*=UTF-8''${extendedValue(name)}`,
    "accept-ranges": "bytes",
    etag,
  };
  if (range === "unsatisfiable") {
    const asked = { "content-range": `bytes */${bytes}` };
    return new HttpAnswer(416, { ...plain, ...asked }, `The artifact has ${bytes} bytes.\n`);
  }
  const { from, to } = range ?? { from: 0, to: bytes };
  const sized = { ...headers, "content-length": String(to - from) };
  const part = range === undefined ? sized : { ...sized, "content-range": `bytes ${from}-${to - 1}/${bytes}` };
  const status = range === undefined ? 200 : 206;
  if (request.method === "HEAD" || from === to) return new HttpAnswer(status, part);
  // Read as fast as the client takes it.
  return HttpAnswer.ofWeb(new Response(ReadableStream.from(artifact.read(from, to)), { status, headers: part }));
}

/**
 * The bytes from one place to before another. `undefined` for all of them: also for several ranges, and for what is not a range,
 * as a server may answer those.
 */
function rangeOf(header: string | undefined, bytes: number) {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "")
    return Number(last) === 0 || bytes === 0 ? "unsatisfiable" : { from: Math.max(0, bytes - Number(last)), to: bytes };
  const from = Number(first);
  const to = last === "" ? bytes : Math.min(bytes, Number(last) + 1);
  if (last !== "" && Number(last) < from) return undefined;
  return from >= bytes ? "unsatisfiable" : { from, to };
}

/** Source: RFC 8187, section 3.2.1. */
function extendedValue(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
