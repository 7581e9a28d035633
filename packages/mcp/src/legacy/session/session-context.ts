import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type { ConnectableServer } from "./live-session.js";

/** What is known of a session when its server is made. */
export interface SessionContext {
  readonly sessionId: string;
  readonly authInfo?: AuthInfo;
  /** `_meta` of the client's `initialize` request. */
  readonly meta?: object;
}

/** Makes the server of one session, with `attachTools` done. */
export type CreateServer = (context: SessionContext) => ConnectableServer | Promise<ConnectableServer>;
