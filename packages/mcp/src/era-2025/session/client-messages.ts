import type { Engine } from "@resumable-mcp/core";
import { toText } from "@resumable-mcp/protocol";
import { isRequestId } from "../../call/call.js";
import { HttpAnswer } from "../../http/http-answer.js";
import { limits } from "../../limits.js";
import { findLocality } from "../../owner/owner.js";
import { type CallerRights, checkScopes } from "../../owner/scopes.js";
import type { JSONRPCNotification, JSONRPCResponse, MessageExtraInfo } from "../../sdk-2025.js";
import { answerQuestion } from "./answer-question.js";
import type { EnteringCalls } from "./calls/entering-calls.js";
import type { InFlightCalls } from "./calls/in-flight-calls.js";
import type { Deliveries } from "./deliveries.js";
import type { ClientResponse } from "./server-requests.js";
import { misdirectedAnswer } from "./session-answers.js";
import type { SessionDocument } from "./session-document.js";

/** What the messages of a session's client change. */
interface MessageParts {
  readonly engine: Engine;
  readonly document: SessionDocument;
  readonly calls: InFlightCalls;
  readonly deliveries: Deliveries;
  readonly entering: EnteringCalls;
}

/** What a session's client sends in addition to requests: notifications, and responses to what the server asked it. */
export class ClientMessages {
  readonly #parts: MessageParts;

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  async accept(message: JSONRPCNotification | JSONRPCResponse, extra: MessageExtraInfo): Promise<HttpAnswer> {
    if (!("method" in message)) return this.#takeAnswer(message, extra);
    if (message.method === "notifications/cancelled") await this.#cancel(message, extra);
    else this.#parts.deliveries.notify(message, extra);
    return new HttpAnswer(202);
  }

  async #takeAnswer(response: JSONRPCResponse, extra: MessageExtraInfo): Promise<HttpAnswer> {
    const { engine, deliveries } = this.#parts;
    if (deliveries.requests.isOfAnother(toText(response.id))) return misdirectedAnswer();
    try {
      const keep = await answerQuestion(engine, this.#parts, response, rightsOf(extra));
      deliveries.accept(response as ClientResponse, extra, keep);
      return new HttpAnswer(202);
    } catch (error) {
      deliveries.requests.askAgain(toText(response.id));
      throw error;
    }
  }

  async #cancel({ params: { requestId, reason } = {} }: JSONRPCNotification, extra: MessageExtraInfo): Promise<void> {
    const atMs = Date.now();
    const { engine, calls, deliveries, entering } = this.#parts;
    await entering.ended(requestId);
    const rights = rightsOf(extra);
    const inFlight = calls.findRequest(requestId);
    if (inFlight !== undefined) checkScopes(engine, toText(inFlight.request.params?.name), rights);
    const isKnown = calls.withdraw(requestId);
    if (inFlight !== undefined) {
      deliveries.end(inFlight, typeof reason === "string" ? reason : "cancelled by the client");
      inFlight.abandon();
      await calls.cancel(inFlight, rights, atMs);
    } else if (!isKnown && isRequestId(requestId) && String(requestId).length <= limits.maxRequestIdLength) {
      await calls.cancelElsewhere(requestId, rights, atMs);
    }
  }
}

function rightsOf({ authInfo, requestInfo }: MessageExtraInfo): CallerRights {
  return { token: authInfo, locality: findLocality(requestInfo) };
}
