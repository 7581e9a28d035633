import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { openRounds, type Work } from "../measures/checkpoint-rate.js";
import { createInsertKeeper } from "../peers/insert-keeper.js";
import { keeperOf } from "../peers/store-keeper.js";
import type { Measure, Target } from "../report/measure.js";
import { connect, newDatabase } from "./database.js";
import { type Replica, type Steps, startReplica } from "./replica.js";

const tasksText = (tasks: number) => (tasks === 1 ? "1 task" : `${tasks} tasks at once`);

/** Steps of whole tasks, from their call to their end, by an engine and by DBOS: each in a process of its own. */
export function stepRate(work: Steps, target: Target): Measure {
  return {
    id: `postgres-steps-${work.tasks}`,
    title: `Durable steps, ${tasksText(work.tasks)} of ${work.each} steps, from the call to the end`,
    subject: "engine on PostgreSQL",
    peer: "DBOS on the same server",
    unit: "steps/s",
    target,
    // Single tasks need some thousand steps until their code is compiled.
    rounds: work.tasks === 1 ? 31 : 15,
    async prepare(scope) {
      const [ours, theirs] = [await newDatabase(scope), await newDatabase(scope)];
      const engine = await startReplica(scope, "engine", { url: ours, name: "a" });
      const dbos = await startReplica(scope, "dbos", { url: theirs, name: "a" });
      const rate = async (replica: Replica) => (work.tasks * work.each * 1000) / (await replica.run(work));
      return { subject: () => rate(engine), peer: () => rate(dbos) };
    },
  };
}

/** Commits of the store, against rows that are inserted one by one. */
export function checkpointRate(work: Work, connections: number, target: Target): Measure {
  return {
    id: `postgres-checkpoints-${work.tasks}`,
    title: `Checkpoints in PostgreSQL, ${tasksText(work.tasks)}`,
    subject: "store-postgres",
    peer: `bare inserts of one row each on ${connections === 1 ? "one connection" : `${connections} connections`}`,
    unit: "checkpoints/s",
    target,
    rounds: 31,
    async prepare(scope) {
      const [ours, theirs] = [await newDatabase(scope), await newDatabase(scope)];
      const clients = await Promise.all(Array.from({ length: connections }, () => connect(scope, theirs)));
      const store = createPostgresStore({ connectionString: ours });
      return {
        subject: await openRounds(scope, keeperOf(store), work),
        peer: await openRounds(scope, await createInsertKeeper(clients), work),
      };
    },
  };
}
