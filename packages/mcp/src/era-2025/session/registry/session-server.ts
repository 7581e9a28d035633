import type { Engine } from "@resumable-mcp/core";
import { makePanel } from "../../../control/panel.js";
import type { ServerDefinition } from "../../../define-server.js";
import type { SessionLimits } from "../../../limits.js";
import type { OperatorScopes } from "../../../owner/operator.js";
import type { Locality } from "../../../owner/owner.js";
import type { AuthInfo } from "../../../sdk-2025.js";
import type { ConnectableServer } from "../../other-server.js";
import { routerOf } from "../../register-tools.js";
import { Router2025 } from "../../router.js";
import { setupServer } from "../../setup.js";
import type { SessionServer } from "../session.js";

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

/** How sessions are served. */
export interface SessionHandlerOptions extends OperatorScopes {
  readonly engine: Engine;
  /** The server, as its author describes it. */
  readonly definition?: ServerDefinition;
  /**
   * In place of a definition: makes the server of one session, with `registerTools` done. Called again after a restart, when the
   * session's client comes back.
   */
  readonly createServer?: CreateServer;
  /** Of a definition: answer long calls before the caller's time limit. Default: for hosts with a known limit. */
  readonly handoff?: boolean | undefined;
  /** Of a definition: makes what callers see of what the code of its `setup` threw. Default: the error itself. */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
  readonly limits?: Partial<SessionLimits>;
  /** Hears of what failed unexpectedly. */
  readonly onError?: (error: unknown) => void;
}

/** Makes what answers a session: of a definition one router for all, and a server where its `setup` is given one. */
export function serverOf({ createServer, definition, engine, ...given }: SessionHandlerOptions) {
  if (definition === undefined)
    return async (context: SessionContext): Promise<SessionServer> => {
      if (createServer === undefined) throw new Error("createSessionHandler needs a definition, or createServer.");
      const server = await createServer(context);
      return { server, router: routerOf(server) ?? new Router2025({ engine }) };
    };
  const panel = makePanel(definition);
  const { controlTools } = definition;
  const options = {
    ...{ ...given, panel, controlTools },
    get prefix() {
      return definition.prefix;
    },
  };
  const router = new Router2025({ engine, options, definition });
  return async (): Promise<SessionServer> => ({ router, server: await setupServer(definition, engine, options) });
}
