/** The part of the SDK's `Server` that tells of the end of its connection. */
export interface ClosingServer {
  readonly transport?: object | undefined;
  onclose?: (() => void) | undefined;
}

const signals = new WeakMap<ClosingServer, AbortSignal>();

/**
 * A signal that aborts when the connection that a server has now is closed: whatever watches on behalf of its client
 * ends with it, not at the next change of a task that may never change again.
 */
export function closedSignal(server: ClosingServer): AbortSignal {
  const known = signals.get(server);
  if (known !== undefined) return known;
  if (server.transport === undefined) return AbortSignal.abort("closed");
  const closed = new AbortController();
  const before = server.onclose;
  server.onclose = () => {
    signals.delete(server);
    server.onclose = before;
    closed.abort("closed");
    before?.();
  };
  signals.set(server, closed.signal);
  return closed.signal;
}
