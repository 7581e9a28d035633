import type { RemoteServer } from "./remote-server.js";

/** Asks all servers at once; fails only when none of them answers. */
export async function fromEach<T>(
  servers: readonly RemoteServer[],
  ask: (server: RemoteServer) => Promise<T>,
): Promise<readonly T[]> {
  const answers = await Promise.allSettled(servers.map(ask));
  const values = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const failure = answers.find((answer) => answer.status === "rejected");
  if (values.length === 0 && failure !== undefined) throw failure.reason;
  return values;
}
