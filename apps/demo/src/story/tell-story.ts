import { join } from "node:path";
import { type RestartableServer, startRestartableServer } from "../processes/demo-server.js";
import { describeCount, isComplete, job } from "./job.js";
import type { StoryOptions } from "./run-story.js";
import { hearClient, type Outcome, requireOutcome, startStoryClient } from "./story-client-program.js";

/** Time of a batch: long enough to be killed in, short enough to wait for. */
const batchMs = 400;
const killServerAt = 15;
const killClientAt = 25;
const shownDigits = 16;

/**
 * Tells the story of a job whose server and client are killed, and that ends as if nothing had happened.
 *
 * @returns whether it did.
 */
export async function tellStory(options: StoryOptions): Promise<boolean> {
  const { narrator } = options;
  narrator.chapter(`${job.total} records in batches of ${job.batch}, undisturbed`);
  const straight = await withServer(options, "straight", (server) => runUndisturbed(options, server));
  narrator.line("client", `${describeCount(straight.count)}; digest ${short(straight.digest)}`);
  narrator.chapter(`The same in another store; the server is killed at ${killServerAt}, the client at ${killClientAt}`);
  const killed = await withServer(options, "killed", (server) => runKilled(options, server));
  narrator.chapter("What the client counts in the items of the task");
  narrator.line("client", `digest ${short(killed.digest)}`);
  const digests = new Set([straight.digest, killed.digest, straight.reportedDigest, killed.reportedDigest]);
  narrator.line("client", `content and order are ${digests.size === 1 ? "" : "NOT "}those of the undisturbed run`);
  narrator.last(describeCount(killed.count));
  return digests.size === 1 && isComplete(killed.count);
}

async function withServer(
  { built, folder, narrator }: StoryOptions,
  store: string,
  run: (server: RestartableServer) => Promise<Outcome>,
): Promise<Outcome> {
  const server = await startRestartableServer(
    { built, store: join(folder, store) },
    {
      started: ({ url, pid }) => narrator.line("server", `listens on ${url} (process ${pid})`),
      killing: (pid) => narrator.line("kill -9", `the server (process ${pid})`),
    },
  );
  try {
    return await run(server);
  } finally {
    await server.stop();
  }
}

async function runUndisturbed({ built, folder }: StoryOptions, { url }: RestartableServer): Promise<Outcome> {
  const client = await startStoryClient({ built, url, stateFile: join(folder, "straight.json"), delayMs: 0 });
  return requireOutcome(client, await hearClient(client, () => "continue"));
}

async function runKilled({ built, folder, narrator }: StoryOptions, server: RestartableServer): Promise<Outcome> {
  const begin = () =>
    startStoryClient({ built, url: server.url, stateFile: join(folder, "killed.json"), delayMs: batchMs });
  let restarted: Promise<void> | undefined;
  const first = await begin();
  const early = await hearClient(first, (line) => {
    narrator.client(line);
    if (line.kind !== "progress") return "continue";
    if (line.progress >= killServerAt) restarted ??= restart(server);
    return line.progress >= killClientAt ? "kill" : "continue";
  });
  await restarted;
  if (early !== "killed") return requireOutcome(first, early);
  narrator.line("kill -9", `the client (process ${first.pid})`);
  const second = await begin();
  narrator.line("client", `is started again (process ${second.pid})`);
  const late = await hearClient(second, (line) => {
    narrator.client(line);
    return "continue";
  });
  return requireOutcome(second, late);
}

function restart(server: RestartableServer): Promise<void> {
  const restarted = server.kill().then(() => server.start());
  // The caller awaits it later and meets its failure then.
  restarted.catch(() => undefined);
  return restarted;
}

function short(digest: string): string {
  return `${digest.slice(0, shownDigits)}…`;
}
