import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { HttpCall } from "../machine/http-call.js";
import type { HttpMessage } from "../machine/received-request.js";
import type { Worker } from "../machine/worker.js";
import type { Actor, World } from "../world/world.js";
import { type Answer, answerOf, type Outcome, onSilence, outcomeOf } from "./rpc.js";

/** The last event of a stream, from which it can be taken up again. */
export interface Place {
  lastEventId: string | undefined;
  retryMs: number;
  /** When something came of the server, in virtual time. */
  heardMs: number;
}

/** A short request is given up after this time. */
const patienceMs = 20_000;

/** The requests of one client of MCP over HTTP, each over a connection of its own. */
export class McpRequests {
  readonly #world: World;
  readonly #actor: Actor;
  readonly #onAccepted: (worker: Worker) => void;
  #current: HttpCall | undefined;
  #onDrop: (() => void) | undefined;

  /** @param onAccepted is called when a worker's side accepted the last byte of a result. */
  constructor(world: World, actor: Actor, onAccepted: (worker: Worker) => void) {
    this.#world = world;
    this.#actor = actor;
    this.#onAccepted = onAccepted;
  }

  /** Closes the connection of the stream that is read. */
  drop(): void {
    this.#current?.cut();
    this.#onDrop?.();
  }

  /**
   * Reads a stream until the answer to a request came, or the stream ended or broke.
   *
   * @param hear is called with every other message.
   */
  stream(
    worker: Worker,
    message: HttpMessage,
    id: string,
    place: Place,
    hear: (message: JsonObject) => void,
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      let status = 0;
      let rest = "";
      let isStream = false;
      const onEvent = ({ id: eventId, data }: EventSourceMessage) => {
        place.heardMs = this.#world.nowMs;
        if (eventId !== undefined) place.lastEventId = eventId;
        const heard: unknown = data === "" ? undefined : JSON.parse(data);
        if (!isJsonObject(heard)) return;
        if (heard.id === id && heard.method === undefined) resolve(outcomeOf(heard));
        else hear(heard);
      };
      const onRetry = (ms: number) => {
        place.retryMs = ms;
      };
      const parser = createParser({ onRetry, onEvent });
      this.#onDrop = () => resolve({ kind: "broken" });
      const heard = onSilence(this.#world, this.#actor, () => {
        call.cut();
        resolve({ kind: "broken" });
      });
      const call = this.#send(worker, message, {
        head: (given, headers) => {
          status = given;
          isStream = (headers["content-type"] ?? "").includes("text/event-stream");
        },
        text: (text) => {
          heard();
          if (isStream) parser.feed(text);
          else rest += text;
        },
        end: () => resolve(isStream ? { kind: "broken" } : answerOf(status, rest)),
        broken: () => resolve({ kind: "broken" }),
      });
      this.#current = call;
    });
  }

  /** Sends something short and reads all of the answer; `undefined` when the connection broke. */
  whole(worker: Worker, message: HttpMessage): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      let head: Omit<Answer, "text"> = { status: 0, headers: {} };
      let text = "";
      const call = this.#send(worker, message, {
        head: (status, headers) => {
          head = { status, headers };
        },
        text: (more) => {
          text += more;
        },
        end: () => resolve({ ...head, text }),
        broken: () => resolve(undefined),
      });
      const giveUp = () => {
        call.cut();
        resolve(undefined);
      };
      this.#world.after(patienceMs, giveUp, this.#actor);
    });
  }

  #send(
    worker: Worker,
    message: HttpMessage,
    listener: ConstructorParameters<typeof HttpCall>[0]["listener"],
  ): HttpCall {
    const onAccepted = () => this.#onAccepted(worker);
    return new HttpCall({ world: this.#world, caller: this.#actor, worker, message, listener, onAccepted });
  }
}
