import { HttpAnswer, type TakenText, type TextSource } from "../http/http-answer.js";

/** When the header of a response goes out, and how often an idle stream says that it lives. */
export interface LateOptions {
  readonly headersAfterMs: number;
  readonly keepAliveMs: number;
  /** The client left before there was an answer. */
  readonly onLeft: () => void;
}

/**
 * Gives an answer within a time. One that takes longer comes as a stream: its header goes out at once, comments follow, and then
 * what there is. Clients and proxies give up on a response whose header does not come.
 *
 * Source: MCP 2026-07-28, Transports, "Streamable HTTP": the server answers a request with JSON or with a stream.
 */
export async function answerInTime(answering: Promise<HttpAnswer>, options: LateOptions): Promise<HttpAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.headersAfterMs);
  });
  const early = await Promise.race([answering, late]).finally(() => clearTimeout(timer));
  return early ?? new HttpAnswer(200, streamHeaders, new LateAnswer(answering, options));
}

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies that buffer would hold back the comments.
  "x-accel-buffering": "no",
};

/** Comments until an answer is there, and then the answer: its stream, or its message as the only event. */
class LateAnswer implements TextSource {
  readonly #options: LateOptions;
  #comment = ": working\n\n";
  #source: TextSource | undefined;
  #failure: { readonly error: unknown } | undefined;
  #onMore = () => {};
  #timer: NodeJS.Timeout | undefined;
  #cancelled = false;

  constructor(answering: Promise<HttpAnswer>, options: LateOptions) {
    this.#options = options;
    answering.then(
      (answer) => this.#continue(typeof answer.body === "object" ? answer.body : oneEvent(answer)),
      (error: unknown) => {
        this.#failure = { error };
        this.#end();
      },
    );
  }

  get ended(): boolean {
    return this.#cancelled || (this.#comment === "" && this.#source?.ended === true);
  }

  take(maxBytes: number): TakenText {
    if (this.#failure !== undefined) throw this.#failure.error;
    const text = this.#comment;
    this.#comment = "";
    if (text === "") return this.#source?.take(maxBytes) ?? { text };
    if (this.#source !== undefined) this.#onMore();
    return { text };
  }

  follow(onMore: () => void): void {
    this.#onMore = onMore;
    onMore();
    if (this.#source !== undefined) return;
    this.#timer = setInterval(() => this.#keepAlive(), this.#options.keepAliveMs).unref();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#end();
    if (this.#source === undefined) this.#options.onLeft();
    else this.#source.cancel();
  }

  #continue(source: TextSource): void {
    clearInterval(this.#timer);
    if (this.#cancelled) {
      source.cancel();
      return;
    }
    this.#source = source;
    source.follow(() => this.#onMore());
    this.#onMore();
  }

  #keepAlive(): void {
    this.#comment = ": keep-alive\n\n";
    this.#onMore();
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#onMore();
  }
}

function oneEvent({ body, onSent }: HttpAnswer): TextSource {
  let text = typeof body === "string" ? `event: message\ndata: ${body}\n\n` : "";
  return {
    get ended() {
      return text === "";
    },
    take() {
      const taken = { text, onSent };
      text = "";
      return taken;
    },
    follow: (onMore) => onMore(),
    cancel: () => {},
  };
}
