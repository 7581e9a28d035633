import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type { Locality } from "../../owner/owner.js";
import type { ConnectableServer } from "./session.js";

/** What is known of a session when its server is made. */
export interface SessionContext {
  readonly sessionId: string;
  readonly authInfo?: AuthInfo;
  /** The client that the session named last. */
  readonly clientId?: string;
  readonly locality: Locality;
}

/** Makes the server of one session, with `registerTools` done. */
export type CreateServer = (context: SessionContext) => ConnectableServer | Promise<ConnectableServer>;
