import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./http-request.js";
import { NodeRequest } from "./node-request.js";
import { sendAnswer } from "./send-answer.js";

/** A listener for `http.createServer`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a request does not say of its connection. */
export interface Connection {
  /** Where it comes from; `undefined` once it is closed. */
  readonly remoteAddress: string | undefined;
}

type Fetch = (request: Request, connection: Connection) => Promise<Response>;
type AnswerHttp = (request: HttpRequest, connection: Connection) => Promise<HttpAnswer>;

/**
 * Makes a Node listener of a Web-standard handler. The end of the connection aborts the request and cancels the
 * answer's body.
 */
export function nodeListener(fetch: Fetch): NodeListener {
  return listenerOf(async (request, connection) => HttpAnswer.ofWeb(await fetch(request.toWeb(), connection)));
}

/** The same without Web-standard requests and answers, which cost more than all else that is done with a small call. */
export function listenerOf(answer: AnswerHttp): NodeListener {
  return (incoming, outgoing) => {
    void respond(answer, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function respond(answer: AnswerHttp, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = NodeRequest.of(incoming, outgoing);
  if (request === undefined) {
    outgoing.writeHead(400).end();
    return;
  }
  const given = await answer(request, { remoteAddress: incoming.socket.remoteAddress });
  await sendAnswer(given, outgoing);
  await request.discardRest();
}
