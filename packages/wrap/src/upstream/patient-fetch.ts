import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { wrapLimits } from "../limits.js";

/** A request that did not reach the server. */
export class NeverSent extends Error {
  override readonly name = "NeverSent";
  readonly code: unknown;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = Reflect.get(cause, "code");
  }
}

/** The network says whether the other end still exists, after so much silence and then each second. */
const keepAliveMs = 60_000;
const maxRedirects = 5;
/** What has no body, by the standard of `Response`. */
const withoutBody: readonly number[] = [204, 205, 304];

/**
 * What `fetch` does, but for its end after five minutes of silence: a server may be at work for longer without a word.
 *
 * Redirects that keep the request are followed where they stay at the same origin.
 */
export const patientFetch: typeof fetch = async (input, request = {}) => {
  let here = new URL(input instanceof Request ? input.url : input);
  for (let count = 0; ; count += 1) {
    const response = await requestOnce(here, request);
    const to = [307, 308].includes(response.status) ? response.headers.get("location") : null;
    const next = to === null ? undefined : new URL(to, here);
    if (next === undefined || next.origin !== here.origin || count >= maxRedirects) return response;
    await response.body?.cancel();
    here = next;
  }
};

function requestOnce(url: URL, { method = "GET", headers: given, body, signal }: RequestInit): Promise<Response> {
  const isSecure = url.protocol === "https:";
  const make = isSecure ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const options = { method, headers: Object.fromEntries(new Headers(given)), signal: signal ?? undefined };
    // Of a connection that was used before it is not known whether the server closes it just then.
    const sent = make(url, { ...options, agent: false }, (answer) => {
      const { statusCode: status = 500, headersDistinct } = answer;
      const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const isEmpty = withoutBody.includes(status);
      if (isEmpty) answer.resume();
      resolve(new Response(isEmpty ? null : readable(answer), { status, headers: pairs }));
    });
    const late = setTimeout(() => {
      sent.destroy(new Error(`it took no connection within ${wrapLimits.connectMs / 1_000} seconds`));
    }, wrapLimits.connectMs);
    sent.on("close", () => clearTimeout(late));
    sent.on("socket", (socket) => {
      socket.setKeepAlive(true, keepAliveMs);
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        isConnected = true;
        clearTimeout(late);
      });
    });
    sent.on("error", (error) => reject(isConnected ? error : new NeverSent(error)));
    sent.end(typeof body === "string" ? body : undefined);
  });
}

/** The types of Node and of the Web call the same stream by two names. */
function readable(answer: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
}
