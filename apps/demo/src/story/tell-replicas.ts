import { join } from "node:path";
import { startPostgres } from "@resumable-mcp/store-postgres/testing";
import { type RestartableServer, startRestartableServer } from "../processes/demo-server.js";
import { forward, type LocalServer, listenLocally } from "../processes/forward.js";
import { describeCount, isComplete, job } from "./job.js";
import type { StoryOptions } from "./run-story.js";
import { hearClient, type Outcome, requireOutcome, startStoryClient } from "./story-client-program.js";

/** Time of a batch: long enough to be killed in, short enough to wait for. */
const batchMs = 400;
/** After how many records each replica is killed, and the database at last. */
const killReplicasAt = [10, 20, 30];
const killDatabaseAt = 40;

/**
 * Tells the story of a job on three servers that share a database, and of which each is killed once.
 *
 * @returns whether it ended as if nothing had happened.
 */
export async function tellReplicas({ built, folder, narrator }: StoryOptions): Promise<boolean> {
  narrator.chapter("A database, three replicas, and one address in front of them");
  const database = await startPostgres();
  const replicas: RestartableServer[] = [];
  try {
    narrator.line("server", "PostgreSQL runs");
    for (const [index] of killReplicasAt.entries()) {
      const name = `replica ${index + 1}`;
      const listener = {
        started: ({ pid }: { pid: number }) => narrator.line("server", `${name} runs (process ${pid})`),
        killing: (pid: number) => narrator.line("kill -9", `${name} (process ${pid})`),
      };
      replicas.push(await startRestartableServer({ built, store: database.url }, listener));
    }
    const address = await startRoundRobin(replicas.map(({ url }) => Number(new URL(url).port)));
    try {
      narrator.chapter(`${job.total} records in batches of ${job.batch}, while each of them is killed`);
      const restartDatabase = async () => {
        narrator.line("kill -9", "PostgreSQL");
        await database.restart();
        narrator.line("server", "PostgreSQL runs again");
      };
      const url = `${address.url}${new URL(replicas[0]?.url ?? address.url).pathname}`;
      const outcome = await runKilled({ built, folder, narrator }, url, [
        ...replicas.map((replica) => () => killAndStart(replica)),
        restartDatabase,
      ]);
      narrator.last(describeCount(outcome.count));
      return isComplete(outcome.count) && outcome.digest === outcome.reportedDigest;
    } finally {
      await address.close();
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.stop();
  }
}

/** Gives each request to the next of the servers; one that is refused goes to the server after it. */
function startRoundRobin(ports: readonly number[]): Promise<LocalServer> {
  let turn = 0;
  return listenLocally((incoming, answer) => {
    const first = turn++;
    const order = ports.map((_, index) => ports[(first + index) % ports.length] ?? 0);
    forward(incoming, answer, order);
  });
}

async function killAndStart(replica: RestartableServer): Promise<void> {
  await replica.kill();
  await replica.start();
}

/** Follows the job to its end, and breaks one thing after the other on the way. */
async function runKilled(
  { built, folder, narrator }: StoryOptions,
  url: string,
  breakages: readonly (() => Promise<void>)[],
): Promise<Outcome> {
  const client = await startStoryClient({ built, url, stateFile: join(folder, "client.json"), delayMs: batchMs });
  const moments = [...killReplicasAt, killDatabaseAt];
  let begun = 0;
  /** One breakage at a time, so that two replicas are there at any moment. */
  let broken = Promise.resolve();
  const outcome = await hearClient(client, (line) => {
    narrator.client(line);
    while (line.kind === "progress" && line.progress >= (moments[begun] ?? Number.POSITIVE_INFINITY)) {
      const next = breakages[begun];
      begun += 1;
      if (next !== undefined) broken = broken.then(next);
    }
    return "continue";
  });
  await broken;
  return requireOutcome(client, outcome);
}
