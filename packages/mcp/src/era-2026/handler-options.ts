import type { HttpAnswer } from "../http/http-answer.js";
import type { HttpRequest } from "../http/http-request.js";
import type { BodyLimits } from "../limits.js";
import type { Locality, VerifiedToken } from "../owner/owner.js";
import type { RegisterOptions2026 } from "./server-2026.js";

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
export interface TasksHandler<Auth extends VerifiedToken = VerifiedToken> extends Handler2026<Auth> {
  answer(request: HttpRequest, options?: RequestOptions2026<Auth>): Promise<HttpAnswer>;
}

/** How subscriptions are served. */
export interface WithTasksOptions
  extends Pick<RegisterOptions2026, "owner" | "singleUser" | "onError">,
    // Of a POST that was not read before.
    Partial<BodyLimits> {
  /** Subscriptions to tasks that are open at once. Default 8192. */
  readonly maxSubscriptions?: number;
  /** The same, of one owner. Default 128. */
  readonly maxSubscriptionsPerOwner?: number;
  /** How often an idle stream says that it lives, in milliseconds. Default 15000. */
  readonly keepAliveMs?: number;
}
