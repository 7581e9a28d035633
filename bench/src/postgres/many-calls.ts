import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Measure, Scope } from "../report/measure.js";
import { newDatabase } from "./database.js";
import { type ReplicaKind, startReplica } from "./replica.js";

/** Orders of a shop, and after how many calls that it took their process is killed. */
interface Orders {
  readonly orders: number;
  readonly killsAfter: readonly number[];
}

const callsPerSecond = 100;

/** The job of docs/cookbook/many-calls.md. It takes minutes, so both sides do it once, at the same time. */
export const manyCalls: Measure = {
  id: "postgres-many-calls",
  title: `10,000 calls of a shop that takes ${callsPerSecond} a second and fails one in twenty, SIGKILL after 3,500 and 7,000, from start to result`,
  subject: "`task.map` of an engine on PostgreSQL",
  peer: "DBOS on the same server",
  unit: "s",
  rounds: 1,
  isLong: true,
  async prepare(scope) {
    const work = { orders: 10_000, killsAfter: [3_500, 7_000] };
    const [ours, theirs] = await Promise.all([bookAll(scope, "engine", work), bookAll(scope, "dbos", work)]);
    const note = `orders booked again with the same key ${ours.again}, peer ${theirs.again}`;
    return { subject: async () => ours.seconds, peer: async () => theirs.seconds, note };
  },
};

/** Books each order of a shop by one task or workflow, in one process after the other. */
export async function bookAll(scope: Scope, kind: ReplicaKind, { orders, killsAfter }: Orders) {
  const place = { url: await newDatabase(scope), name: "a" };
  const shop = await openShop(scope, orders);
  let replica = await startReplica(scope, kind, place);
  const begun = performance.now();
  const id = await replica.book(shop.url);
  for (const calls of killsAfter) {
    await shop.taken(calls);
    await replica.kill();
    replica = await startReplica(scope, kind, place);
  }
  await replica.booked(id);
  return { seconds: (performance.now() - begun) / 1000, ...shop.booked() };
}

async function openShop(scope: Scope, orders: number) {
  /** By order: the keys under which it was booked. */
  const keys = new Map(Array.from({ length: orders }, (_, index) => [`order-${index}`, [] as string[]]));
  const times: number[] = [];
  let calls = 0;
  const server = createServer(({ url = "/", headers }, response) => {
    if (url === "/orders") return response.end([...keys.keys()].join("\n"));
    const now = performance.now();
    while (times[0] !== undefined && times[0] < now - 1_000) times.shift();
    if (times.length >= callsPerSecond) return response.writeHead(429).end();
    times.push(now);
    calls += 1;
    server.emit("taken");
    if (calls % 20 === 0) return response.writeHead(503).end();
    keys.get(url.split("/").at(-1) ?? "")?.push(`${headers["idempotency-key"]}`);
    return response.end("booked");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async taken(count: number) {
      while (calls < count) await once(server, "taken");
    },
    /** How many orders were booked, and how often one was again. @throws when one was booked under two keys. */
    booked() {
      const all = [...keys.values()];
      if (all.some((each) => new Set(each).size > 1)) throw new Error("An order was booked under two keys.");
      const booked = all.filter((each) => each.length > 0).length;
      return { booked, again: all.flat().length - booked };
    },
  };
}
