import type { Store } from "@resumable-mcp/core";
import { createPostgresStore, type PostgresStoreOptions } from "@resumable-mcp/store-postgres";
import type { StoreHarness } from "@resumable-mcp/store-testkit";
import { createSimulatedPool } from "../src/database/database-client.js";
import { DatabaseServer } from "../src/database/database-server.js";
import { Random } from "../src/world/random.js";
import { type Actor, newActor } from "../src/world/world.js";

type Limits = PostgresStoreOptions["limits"];

/** What passes between clients and servers passes in the next turn. */
const turns = {
  nowMs: 0,
  random: new Random(1),
  after: (_delayMs: number, run: () => void, actor?: Actor) => {
    const turn = setImmediate(() => actor?.isAlive !== false && run());
    return () => clearImmediate(turn);
  },
  nextTurn: (run: () => void, actor?: Actor) => turns.after(0, run, actor),
};

interface Opened {
  readonly server: DatabaseServer;
  readonly limits: Limits;
  kill(): void;
}

/** The store of PostgreSQL over simulated servers, whose statements are noted in `texts`. */
export function databaseHarness(given: Limits, texts = new Map<string, string>()): StoreHarness {
  const opened = new Map<Store, Opened>();
  const open = (server: DatabaseServer, limits: Limits): Store => {
    const actor = newActor("process");
    const deaths: (() => void)[] = [];
    const process = { actor, host: "host", reachCall: () => {}, onDeath: (run: () => void) => void deaths.push(run) };
    // Answers are of the time of their question: the kit turns its clocks by hand.
    const all = { slowAnswerMs: Number.POSITIVE_INFINITY, ...limits };
    const store = createPostgresStore({ pool: createSimulatedPool({ world: turns, server, process }), limits: all });
    const kill = () => {
      actor.isAlive = false;
      for (const run of deaths) run();
    };
    opened.set(store, { server, limits, kill });
    return store;
  };
  const fresh = () => {
    const server = new DatabaseServer(turns, () => {});
    server.onStatement = (name, text) => texts.set(name, text);
    return server;
  };
  const find = (store: Store): Opened => {
    const found = opened.get(store);
    if (found === undefined) throw new Error("The harness did not open this store.");
    return found;
  };
  const another = async (store: Store) => open(find(store).server, find(store).limits);
  return {
    open: async () => open(fresh(), given),
    limited: async (quotas) => open(fresh(), { ...given, ...quotas }),
    second: another,
    // Nothing but heartbeats passes between the two.
    far: async (store) => open(find(store).server, { ...find(store).limits, deathNoticeMs: Number.POSITIVE_INFINITY }),
    reopen: async (store) => {
      find(store).kill();
      return another(store);
    },
  };
}
