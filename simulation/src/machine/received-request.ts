import type { HttpRequest } from "@resumable-mcp/mcp";
import { endingOf } from "@resumable-mcp/mcp/internal";

/** A request over HTTP. */
export interface HttpMessage {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: { readonly [name: string]: string };
  readonly body?: string | undefined;
}

/** A request as Node gives it to the endpoint: a Web-standard one is made of it only where a handler wants that. */
export class ReceivedRequest implements HttpRequest {
  readonly method: string;
  readonly url = new URL("http://127.0.0.1:8001/mcp");
  readonly headers: HttpRequest["headers"];
  #body: string | undefined;
  #web: Request | undefined;
  readonly ending: HttpRequest["ending"];

  /** @param signal aborts when the connection ends before the answer is whole. */
  constructor({ method, headers, body }: HttpMessage, signal: AbortSignal) {
    this.method = method;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.#body = body;
    this.ending = endingOf(signal);
  }

  header(name: string): string | undefined {
    return this.headers[name]?.toString();
  }

  async text(maxBytes: number): Promise<string | undefined> {
    const body = this.#body ?? "";
    if (Buffer.byteLength(body) > maxBytes) return undefined;
    this.#body = undefined;
    return body;
  }

  toWeb(): Request {
    this.#web ??= this.#toWeb();
    return this.#web;
  }

  #toWeb(): Request {
    // Node keeps a request's signal for as long as the request, and it must not lead to the request in turn.
    const gone = new AbortController();
    const onCut = () => gone.abort("The connection was closed.");
    this.ending.whenEnded(onCut);
    const headers = Object.entries(this.headers).map(([name, value]): [string, string] => [name, `${value}`]);
    return new Request(this.url, { method: this.method, headers, body: this.#body, signal: gone.signal });
  }
}
