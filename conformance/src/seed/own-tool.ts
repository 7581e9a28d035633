import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Demonstration, type SuiteRun } from "../run-suite.js";
import { demoPrograms, startDemoServer } from "../servers.js";
import { type SeedProcess, startSeedClient } from "./seed-demonstration.js";

const listed = z.looseObject({ total_tasks: z.number(), tasks: z.array(z.looseObject({ task_id: z.string() })) });
const stats = z.looseObject({ checkpoint_stats: z.record(z.string(), z.number()), total_checkpoints: z.number() });
const interruptedAt = 15;
const total = 50;

/** The tool of the README, which takes a tenth of its time. */
async function writeOwnTools(): Promise<string> {
  const readme = await readFile(demoPrograms.readme, "utf8");
  const [, code = ""] = /^```ts\n(\/\/ tools\.ts\n[\s\S]*?)^```$/m.exec(readme) ?? [];
  await writeFile(demoPrograms.ownTools, code.replace("sleep(1000", "sleep(100"));
  return demoPrograms.ownTools;
}

/**
 * A tool that its author wrote without a thought of `client_id`, and the walkthrough's client, which sends it as an argument:
 * after the death of both sides there is one task, and the same call continues it to 50 of 50.
 */
export async function runOwnToolDemonstration(): Promise<SuiteRun> {
  const check = new Demonstration("seed: an author's own tool with the walkthrough's client");
  const server = await startDemoServer(await writeOwnTools());
  const clients: SeedProcess[] = [];
  const open = async (): Promise<SeedProcess> => {
    const client = await startSeedClient(server.url, join(server.folder, "session_state.json"));
    clients.push(client);
    return client;
  };
  try {
    return await check.run(async () => {
      const first = await open();
      const reached = first.next(({ event, progress }) => event === "progress" && progress === interruptedAt);
      first.enter("own");
      await reached;
      await Promise.all([server.kill(), first.kill()]);
      await server.start();
      const second = await open();
      const { total_tasks } = listed.parse((await second.ask("2", "tasks")).data);
      check.equal("there is one task", total_tasks, 1);
      const { data } = await second.ask("own", "processed");
      check.equal("the same call ends", data, { counted: total });
      const shown = second.events.flatMap(({ event, progress }) => (event === "progress" ? [Number(progress)] : []));
      const [from = 0] = shown;
      const rest = Array.from({ length: total - from + 1 }, (_, index) => from + index);
      check.holds("it continues where it was", from >= interruptedAt, from);
      check.equal("progress has no gap and no repeat", shown, rest);
      const counted = stats.parse((await second.ask("3", "stats")).data);
      check.equal("it is one task still", [counted.total_checkpoints, counted.checkpoint_stats.completed], [1, 1]);
    });
  } finally {
    await Promise.all(clients.map((client) => client.kill()));
    await server.close();
  }
}
