import type { HttpAnswer } from "../http/http-answer.js";
import type { HttpRequest } from "../http/http-request.js";
import type { BodyLimits } from "../limits.js";
import type { Locality, VerifiedToken } from "../owner/owner.js";
import type { RouterOptions } from "./router.js";

/** What comes along with a request. */
export interface RequestOptions2026<Auth extends VerifiedToken = VerifiedToken> {
  /** A verified token. */
  readonly authInfo?: Auth;
  /** Whether only the user of this machine can have sent it. */
  readonly locality?: Locality;
  /** The body, where it was read already. */
  readonly parsedBody?: unknown;
}

/** A handler of HTTP requests, such as the SDK's `createMcpHandler` makes. */
export interface Handler2026<Auth extends VerifiedToken = VerifiedToken> {
  fetch(request: Request, options?: RequestOptions2026<Auth>): Promise<Response>;
  /** Ends subscriptions with a result, and requests in flight without one. */
  close(): Promise<void>;
}

/** The same for a server that says what became of an answer, as `listenerOf` does. */
export interface AnsweringHandler2026<Auth extends VerifiedToken = VerifiedToken> extends Handler2026<Auth> {
  answer(request: HttpRequest, options?: RequestOptions2026<Auth>): Promise<HttpAnswer>;
}

/** How an endpoint serves requests. The limits are those of a POST that was not read before. */
export interface EndpointOptions extends Partial<BodyLimits> {
  /** How often an idle stream says that it lives, in milliseconds. Default 15000. */
  readonly keepAliveMs?: number;
}

/** How an endpoint of the 2026 era is made. */
export interface HandlerOptions2026 extends RouterOptions, EndpointOptions {}
