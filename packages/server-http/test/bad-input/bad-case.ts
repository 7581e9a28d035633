import type { JsonObject } from "@resumable-mcp/core";

/** What the cases meet: a session in which one call has finished. */
export interface World {
  readonly url: string;
  /** Headers of a POST in that session. */
  readonly session: Record<string, string>;
  /** The last event of that call. */
  readonly last: string;
  /** The place behind it. */
  readonly ahead: string;
}

/** What is posted, as it goes over the wire. */
export interface Sent {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What has to come back. */
export type Expected = readonly [status: number, code: number | undefined, message: RegExp];
/** One kind of bad input. */
export type BadCase = readonly [title: string, sent: (world: World) => Sent, ...expected: Expected];

/** The limit of the server under test. */
export const maxBodyBytes = 100_000;
/** Headers of every POST. */
export const json = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** Writes a request. */
export const request = (method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });

/** Sends it, and reads what a caller can see of the answer. */
export async function send(url: string, { method = "POST", headers, body }: Sent) {
  const response = await fetch(url, {
    method,
    headers: { authorization: "Bearer ada", ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const data = isJson ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  const { error, result }: { error?: { code: number; message: string }; result?: JsonObject } = JSON.parse(data);
  return { status: response.status, code: error?.code, said: error?.message ?? JSON.stringify(result ?? "") };
}
