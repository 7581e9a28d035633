import type { ServerChange } from "../client.js";
import type { RemoteServer } from "./remote-server.js";

/** Tells those who want to know of what happens to the connections, also of servers that come later. */
export interface ServerChanges {
  watch(server: RemoteServer): void;
  listen(listener: (change: ServerChange) => void): () => void;
}

/** Creates the news of a client's servers. */
export function createServerChanges(): ServerChanges {
  const listeners = new Set<(change: ServerChange) => void>();
  const tell = (change: ServerChange) => {
    for (const listener of listeners) listener(change);
  };
  return {
    watch({ address: server, connection }) {
      connection.subscribe((change) => {
        if (change.type === "state") return tell({ type: "state", server, state: change.state });
        if (change.previous === undefined) return;
        const session = change.session === undefined ? {} : { sessionId: change.session.sessionId };
        tell({ type: "session_changed", server, previous: change.previous.sessionId, ...session });
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
