import { setTimeout as delay } from "node:timers/promises";
import { startHttp } from "../measures/http.js";
import { programOf, server } from "../measures/stdio-start.js";
import { type Measure, type Scope, spreadOf } from "../report/measure.js";
import { countingProxy } from "./counting-proxy.js";
import { connect, newDatabase } from "./database.js";
import { type ReplicaKind, startReplica } from "./replica.js";

const tasks = 100;
/** How often the database is looked at while replicas work. */
const lookMs = 20;

/** The last step of each task, as the database has it. */
const lastSteps: { readonly [Kind in ReplicaKind]: string } = {
  engine: `SELECT task AS id, max(last_seq)::int AS place FROM resumable_mcp.journal
    WHERE task = ANY ($1) AND body LIKE '%"type":"step"%' GROUP BY 1`,
  dbos: `SELECT workflow_uuid AS id, max(function_id)::int AS place FROM dbos.operation_outputs
    WHERE workflow_uuid = ANY ($1) GROUP BY 1`,
};

/** From the death of a replica until each of its tasks has made a step again. */
export const recovery: Measure = {
  id: "postgres-recovery",
  title: `SIGKILL of one of two replicas with ${tasks} tasks under way (half detached, half followed at the other), until each has made a step again`,
  subject: "engines on PostgreSQL",
  peer: "DBOS without its paid service: no other replica continues them; the same process is started again at once",
  unit: "s",
  target: { atMost: 5 },
  judges: "figure",
  rounds: 7,
  prepare: async () => ({ subject: () => inScope(recover("engine")), peer: () => inScope(recover("dbos")) }),
};

/** Gives a round a scope of its own: no round leaves work to the next. */
async function inScope(round: (scope: Scope) => Promise<number>): Promise<number> {
  const closes: (() => unknown)[] = [];
  const folder = () => Promise.reject(new Error("A round has no folder."));
  try {
    return await round({ folder, onEnd: (close) => void closes.push(close) });
  } finally {
    for (const close of closes.reverse()) await close();
  }
}

const recover = (kind: ReplicaKind) => async (scope: Scope) => {
  const url = await newDatabase(scope);
  const first = await startReplica(scope, kind, { url, name: "a" });
  const other = await startReplica(scope, kind, { url, name: "b" });
  const ids = await first.begin(tasks);
  await other.follow(ids.slice(tasks / 2));
  const database = await connect(scope, url);
  const places = async () => {
    const { rows } = await database.query<{ id: string; place: number }>(lastSteps[kind], [ids]);
    return new Map(rows.map(({ id, place }) => [id, place]));
  };
  const untilBeyond = async (before: ReadonlyMap<string, number>) => {
    const isBeyond = async () => {
      const after = await places();
      return ids.every((id) => (after.get(id) ?? 0) > (before.get(id) ?? 0));
    };
    while (!(await isBeyond())) await delay(lookMs);
  };
  await untilBeyond(new Map());
  // Longer than replicas need to know each other.
  await delay(1_500);
  const begun = performance.now();
  await first.kill();
  const again = kind === "dbos" ? startReplica(scope, kind, { url, name: "a" }) : undefined;
  // What the dead process had sent arrives within this time.
  await delay(lookMs);
  await untilBeyond(await places());
  const seconds = (performance.now() - begun) / 1000;
  await again;
  return seconds;
};

/** From an answer at one replica until the tool at another continues. */
export const answered: Measure = {
  id: "postgres-answered",
  title: "A question asked at one replica and answered at another, until the tool continues; median of 5",
  subject: "engines on PostgreSQL",
  peer: "DBOS, `send` at one and `recv` at the other",
  unit: "ms",
  target: { atMost: 200 },
  judges: "figure",
  async prepare(scope) {
    const [ours, theirs] = [await answering(scope, "engine"), await answering(scope, "dbos")];
    return { subject: ours, peer: theirs };
  },
};

async function answering(scope: Scope, kind: ReplicaKind): Promise<() => Promise<number>> {
  const url = await newDatabase(scope);
  const asking = await startReplica(scope, kind, { url, name: "a" });
  const other = await startReplica(scope, kind, { url, name: "b" });
  const id = await asking.ask();
  let question = 0;
  return async () => {
    const times: number[] = [];
    for (let answers = 0; answers < 5; answers++) {
      await asking.asked({ id, question });
      const at = await other.answer({ id, question });
      times.push((await asking.heard({ id, question })) - at);
      question += 1;
    }
    return spreadOf(times).median;
  };
}

const idleSeconds = 5;

/** What an unused server asks of the database. Both sides are counted at the same time, as they come in. */
export const idle: Measure = {
  id: "postgres-idle",
  title: `Statements of an idle replica, counted for ${idleSeconds} s`,
  subject: "resumable-mcp-http",
  peer: "an idle process of DBOS",
  unit: "statements/s",
  target: { atMost: 5 },
  judges: "figure",
  rounds: 9,
  async prepare(scope) {
    const ours = await countingProxy(scope, await newDatabase(scope));
    await startHttp(scope, [
      programOf("server-http", "cli.js"),
      server("tools-module"),
      "--port",
      "0",
      "--store",
      ours.url,
    ]);
    const theirs = await countingProxy(scope, await newDatabase(scope));
    await startReplica(scope, "dbos", { url: theirs.url, name: "a" });
    let window: ReturnType<typeof countFor> = Promise.resolve([0, 0]);
    let taken = 0;
    const inWindow = () => {
      // The first of both begins a window, and the other one takes its figure of the same.
      if (taken % 2 === 0) window = countFor(() => [ours.roundTrips(), theirs.roundTrips()]);
      taken += 1;
      return window;
    };
    return { subject: async () => (await inWindow())[0], peer: async () => (await inWindow())[1] };
  },
};

async function countFor(counts: () => readonly [number, number]): Promise<readonly [number, number]> {
  const [before, beforePeer] = counts();
  await delay(idleSeconds * 1000);
  const [after, afterPeer] = counts();
  return [(after - before) / idleSeconds, (afterPeer - beforePeer) / idleSeconds];
}
