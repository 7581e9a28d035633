import type { History } from "../history/history.js";
import type { Random } from "../world/random.js";
import type { DatabaseServer } from "./database-server.js";

/** What is done to a database and to the connections to it. */
export const databaseFaults = [
  // Connections break before, while and after a statement takes effect.
  "cuts",
  "cuts",
  "cuts",
  // An operator ends all sessions.
  "terminate",
  // The server dies, and starts again.
  "restart",
  // Its standby takes its place.
  "failover",
  // A machine is cut off from the server.
  "partition",
] as const;

/** Does to the database, if there is one, what a fault says. */
export function strikeDatabase(
  server: DatabaseServer | undefined,
  { kind, amount }: { readonly kind: string; readonly amount: number },
  { host, history }: { readonly host: string; readonly history: History },
): void {
  if (server === undefined) return;
  if (kind === "cuts" || kind === "slow" || kind === "full") server.fail(kind, amount);
  if (kind === "terminate") server.terminate();
  if (kind === "restart") server.crash(amount);
  if (kind === "partition") server.partition(host, amount);
  if (kind !== "failover") return;
  for (const task of server.failOver(amount)) history.add("lost_tail", { task });
}

/** How long each lasts, in milliseconds. */
export function drawDatabaseAmount(random: Random, kind: (typeof databaseFaults)[number]): number {
  if (kind === "restart") return random.pick([50, 500, 3_000]);
  if (kind === "failover") return random.pick([500, 3_000]);
  // Mostly longer than a lease lasts.
  if (kind === "partition") return random.pick([500, 4_000, 6_000, 12_000]);
  return random.pick([100, 2_000, 5_000, 12_000]);
}
