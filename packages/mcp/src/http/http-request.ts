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
    get headers() {
      return Object.fromEntries(request.headers);
    },
    header: (name) => request.headers.get(name) ?? undefined,
    text: (maxBytes) => readText(request, maxBytes),
    toWeb: () => request,
  };
}

async function readText({ headers, body }: Request, maxBytes: number): Promise<string | undefined> {
  if (saysMoreThan(maxBytes, headers.get("content-length"))) return undefined;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  // Cancelling would cut the connection before the refusal has arrived.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Whether a body says of itself that it is too large. */
export function saysMoreThan(maxBytes: number, contentLength: string | null | undefined): boolean {
  return Number(contentLength ?? 0) > maxBytes;
}
