import type { HttpRequest } from "@resumable-mcp/mcp";

/**
 * Counts large bodies that are on their way, by their sender: what has come of them is held in memory.
 *
 * Limits: `maxOpenBodies` of one sender; bodies that say that they are no larger than `smallBodyBytes` are not counted.
 */
export class OpenBodies {
  readonly #counts = new Map<string, number>();
  readonly #limits: { readonly maxOpenBodies: number; readonly smallBodyBytes: number };

  constructor(limits: { readonly maxOpenBodies: number; readonly smallBodyBytes: number }) {
    this.#limits = limits;
  }

  /**
   * The request whose body is counted until it is read or `end` is called; `undefined` when its sender has too many.
   *
   * @param onRead how many times `smallBodyBytes` a body was larger that was read to its end.
   */
  begin(
    request: HttpRequest,
    sender: string,
    onRead: (times: number) => void,
  ): { readonly request: HttpRequest; readonly end: () => void } | undefined {
    const length = request.header("content-length");
    const isSmall = length !== undefined && Number(length) <= this.#limits.smallBodyBytes;
    if (request.method !== "POST" || isSmall) return { request, end: () => {} };
    const count = this.#counts.get(sender) ?? 0;
    if (count >= this.#limits.maxOpenBodies) return undefined;
    this.#counts.set(sender, count + 1);
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(sender) ?? 1) - 1;
      if (left === 0) this.#counts.delete(sender);
      else this.#counts.set(sender, left);
    };
    const text = async (maxBytes: number) => {
      const whole = await request.text(maxBytes).finally(end);
      if (whole !== undefined) onRead(Math.floor(Buffer.byteLength(whole) / this.#limits.smallBodyBytes));
      return whole;
    };
    return { request: withText(request, text), end };
  }
}

function withText(request: HttpRequest, text: HttpRequest["text"]): HttpRequest {
  const { method, url, headers } = request;
  return {
    method,
    url,
    headers,
    get ending() {
      return request.ending;
    },
    header: (name) => request.header(name),
    text,
    toWeb: () => request.toWeb(),
  };
}
