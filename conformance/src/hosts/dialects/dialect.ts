import type { Heard, Reply } from "../script.js";

/** An event of a stream of server-sent events. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: string;
}

/** How one provider of models is spoken to: the only part that knows its words. */
export interface Dialect {
  /** The end of the path that its requests go to. */
  readonly path: RegExp;
  hear(body: unknown): Heard;
  /** @param id of the response, unique. */
  respond(reply: Reply, id: string): readonly StreamEvent[];
}
