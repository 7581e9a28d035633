import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { wrapLimits } from "../limits.js";

/** A request whose answer may take as long as a call does. */
export interface PatientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** The code of the error where a server does not take the connection in time. */
export const connectTimeout = "CONNECT_TIMEOUT";
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
export async function patientFetch(url: string, request: PatientRequest): Promise<Response> {
  let here = new URL(url);
  for (let count = 0; ; count += 1) {
    const response = await requestOnce(here, request);
    const to = [307, 308].includes(response.status) ? response.headers.get("location") : null;
    const next = to === null ? undefined : new URL(to, here);
    if (next === undefined || next.origin !== here.origin || count >= maxRedirects) return response;
    await response.body?.cancel();
    here = next;
  }
}

function requestOnce(url: URL, { method, headers, body, signal }: PatientRequest): Promise<Response> {
  const isSecure = url.protocol === "https:";
  const make = isSecure ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // Of a connection that was used before it is not known whether the server closes it just then.
    const sent = make(url, { method, headers, signal, agent: false }, (answer) => {
      const { statusCode: status = 500, headersDistinct } = answer;
      const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const isEmpty = withoutBody.includes(status);
      if (isEmpty) answer.resume();
      resolve(new Response(isEmpty ? null : readable(answer), { status, headers: pairs }));
    });
    const late = setTimeout(() => {
      const why = `it took no connection within ${wrapLimits.connectMs / 1_000} seconds`;
      sent.destroy(Object.assign(new Error(why), { code: connectTimeout }));
    }, wrapLimits.connectMs);
    sent.on("close", () => clearTimeout(late));
    sent.on("socket", (socket) => {
      socket.setKeepAlive(true, keepAliveMs);
      socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(late));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The types of Node and of the Web call the same stream by two names. */
function readable(answer: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
}
