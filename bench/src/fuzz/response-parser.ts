/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** By names in lower case; the last of a name counts. */
  readonly headers: ReadonlyMap<string, string>;
}

/** What becomes of a response while it comes. */
export interface ResponseListener {
  /** Whether the request was a HEAD, whose response has no body. */
  readonly isHead: boolean;
  onHead(head: ResponseHead): void;
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

type State = "head" | "length" | "size" | "chunk" | "trailer" | "close";

/**
 * Reads responses of HTTP/1.1 out of the bytes of a connection: a client of our own, since all others refuse to send what
 * a fuzzer sends. Source: RFC 9112.
 */
export class ResponseParser {
  readonly #next: () => ResponseListener | undefined;
  #listener: ResponseListener | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #state: State = "head";
  #left = 0;

  /** @param next gives the listener of the next response; `undefined` when none is expected. */
  constructor(next: () => ResponseListener | undefined) {
    this.#next = next;
  }

  /** Takes the next bytes. @throws an error when they are no response. */
  feed(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length > 0 && this.#step());
  }

  /** The connection was closed. */
  close(): void {
    if (this.#state === "close") this.#end();
  }

  /** False when more bytes are needed. */
  #step(): boolean {
    if (this.#state === "head") return this.#head();
    if (this.#state === "size") return this.#size();
    if (this.#state === "trailer") return this.#trailer();
    const taken = this.#state === "close" ? this.#rest : this.#rest.subarray(0, this.#left);
    this.#rest = this.#rest.subarray(taken.length);
    this.#listener?.onBody(taken);
    if (this.#state === "close") return true;
    this.#left -= taken.length;
    if (this.#left > 0) return true;
    if (this.#state === "length") this.#end();
    else this.#state = "size";
    return true;
  }

  #line(): string | undefined {
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) return undefined;
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    return line;
  }

  #head(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const [first = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    this.#rest = this.#rest.subarray(end + 4);
    const status = Number(/^HTTP\/1\.[01] (\d{3})( |$)/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`This is not the head of a response: ${JSON.stringify(first)}`);
    if (status < 200) return true;
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    this.#listener = this.#next();
    if (this.#listener === undefined) throw new Error(`A response that nothing asked for: ${JSON.stringify(first)}`);
    this.#listener.onHead({ status, headers });
    const length = headers.get("content-length");
    if (this.#listener.isHead || status === 204 || status === 304) this.#end();
    else if (headers.get("transfer-encoding") === "chunked") this.#state = "size";
    else if (length === undefined) this.#state = "close";
    else if (Number(length) === 0) this.#end();
    else [this.#state, this.#left] = ["length", Number(length)];
    return true;
  }

  #size(): boolean {
    // After a chunk comes the end of its line.
    if (this.#rest[0] === 0x0d) {
      if (this.#rest.length < 2) return false;
      this.#rest = this.#rest.subarray(2);
    }
    const line = this.#line();
    if (line === undefined) return false;
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new Error(`This is not the size of a chunk: ${JSON.stringify(line)}`);
    [this.#state, this.#left] = size === 0 ? ["trailer", 0] : ["chunk", size];
    return true;
  }

  #trailer(): boolean {
    const line = this.#line();
    if (line === "") this.#end();
    return line !== undefined;
  }

  #end(): void {
    this.#state = "head";
    this.#listener?.onEnd();
  }
}
