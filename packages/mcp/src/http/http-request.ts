import { isJsonObject, parseJson, problemOfJson, rpcCodes, tooDeep } from "@resumable-mcp/protocol";
import { type Ending, endingOf } from "../call/ending.js";
import type { BodyLimits } from "../limits.js";
import type { Locality } from "../owner/owner.js";
import type { AuthInfo } from "../sdk-2025.js";
import { type HttpAnswer, refusal } from "./http-answer.js";

/** What a web server has found out about a request before. */
export interface RequestContext {
  readonly authInfo?: AuthInfo;
  /** Whether only the user of this machine can have sent it. */
  readonly locality?: Locality;
  /**
   * The network that a caller without a token comes from, where callers of others share the server: its sessions are counted
   * by it.
   */
  readonly network?: string;
  /** The body, where it was read already. */
  readonly parsedBody?: unknown;
  /** Hears the name that the stream of a call of the 2025 era will have. Durability: the call's task is made when it has resolved. */
  readonly beforeCall?: (stream: string) => Promise<void>;
}

/**
 * A request over HTTP, as the endpoints of this package see it: Node's own, or a Web-standard one.
 *
 * Node's is not made into a Web-standard one unless a handler wants that: it would cost more than all else that is done
 * with a small call.
 */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** By names in lower case. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** It ends when the connection is closed before the answer was sent. */
  readonly ending: Ending;
  header(name: string): string | undefined;
  /**
   * Reads the body, once. `undefined` when it is larger; the connection stays as it is.
   *
   * @param maxBytes also of a body that does not say its length.
   */
  text(maxBytes: number): Promise<string | undefined>;
  toWeb(): Request;
}

/** Makes the request that our endpoints see of a Web-standard one. */
export function ofWebRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    url: new URL(request.url),
    ending: endingOf(request.signal),
    get headers() {
      return Object.fromEntries(request.headers);
    },
    // A request that was made in this process has no such header.
    header: (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined),
    text: (maxBytes) => readText(request, maxBytes),
    toWeb: () => request,
  };
}

async function readText({ headers, body, bodyUsed }: Request, maxBytes: number): Promise<string | undefined> {
  if (saysMoreThan(maxBytes, headers.get("content-length"))) return undefined;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  if (bodyUsed) throw new BodyTaken();
  // Cancelling would cut the connection before the refusal has arrived.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What is in front of the endpoint has read the body, and has not kept it. */
export class BodyTaken extends Error {
  constructor() {
    super(
      "The body was read before the request came to the MCP endpoint. Leave the parser out for its path, or put what it read into `body` of Node's request.",
    );
  }
}

/** Whether a body says of itself that it is too large. */
export function saysMoreThan(maxBytes: number, contentLength: string | null | undefined): boolean {
  return Number(contentLength ?? 0) > maxBytes;
}

/**
 * Reads the body of a POST as JSON, or says what is wrong with it. What would cost more than its size is refused before it
 * is parsed.
 *
 * Limits: `maxBodyBytes`, also of a body that does not say its length; `maxJsonDepth`; `maxJsonValues`;
 * `maxInitializeBytes`. Source: MCP, Transports, "Sending Messages to the Server".
 */
export async function readJsonBody(
  request: HttpRequest,
  { maxBodyBytes, maxJsonValues, maxInitializeBytes }: BodyLimits,
): Promise<{ readonly value: unknown } | HttpAnswer> {
  const problemOfType = mediaTypeProblem(request);
  if (problemOfType !== undefined) return refusal(415, `Unsupported Media Type: ${problemOfType}`);
  const text = await request.text(maxBodyBytes).catch((error: unknown) => {
    if (error instanceof BodyTaken) return error;
    throw error;
  });
  if (text instanceof BodyTaken) return refusal(500, text.message);
  if (text === undefined) return refusal(413, `The body is larger than maxBodyBytes = ${maxBodyBytes}.`);
  const problem = problemOfJson(text, maxJsonValues);
  if (problem !== undefined) return refusal(problem === tooDeep ? 400 : 413, `Invalid Request: the body ${problem}.`);
  const value = parseJson(text);
  if (value === undefined) return refusal(400, "Parse error: the body is not JSON.", { code: rpcCodes.parseError });
  // What it says stays with its session, and is asked for without a session.
  if (text.length > maxInitializeBytes && isJsonObject(value) && value.method === "initialize") {
    return refusal(413, `An initialize request may not be larger than maxInitializeBytes = ${maxInitializeBytes}.`);
  }
  return { value };
}

/** What is read is JSON in UTF-8 as it was sent; anything else might mean something else to a program in front. */
function mediaTypeProblem(request: HttpRequest): string | undefined {
  const type = (request.header("content-type") ?? "").toLowerCase();
  if (type !== "application/json") {
    if (type.split(";")[0]?.trim() !== "application/json") return "Content-Type must be application/json.";
    const charsets = [...type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/g)].map(([, charset]) => charset);
    if (charsets.some((charset) => charset !== "utf-8" && charset !== "utf8")) return "Send the body in UTF-8.";
  }
  const encoding = request.header("content-encoding") ?? "";
  return /^(identity)?$/i.test(encoding) ? undefined : "Send the body without Content-Encoding.";
}
