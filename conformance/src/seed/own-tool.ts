import { z } from "zod";
import type { PackedProject } from "../packed-project.js";
import { read } from "../repository.js";
import type { SuiteRun } from "../run-suite.js";
import { type DemoServer, startOnStore } from "../servers.js";
import { demonstrate } from "./seed-demonstration.js";

const listed = z.looseObject({ total_tasks: z.number(), tasks: z.array(z.looseObject({ task_id: z.string() })) });
const stats = z.looseObject({ checkpoint_stats: z.record(z.string(), z.number()), total_checkpoints: z.number() });
const interruptedAt = 15;
const total = 50;

/** Serves the tool of the README, which takes a tenth of its time, by the packages as their users get them. */
async function serveOwnTool(project: PackedProject): Promise<DemoServer> {
  const [, code = ""] = /^```ts\n(\/\/ tools\.ts\n[\s\S]*?)^```$/m.exec(read("README.md")) ?? [];
  const folder = await project.folder("own-tool");
  await folder.write("tools.ts", code.replace("sleep(1000", "sleep(100"));
  return startOnStore((where) => folder.run("resumable-mcp", "serve", "http", "./tools.ts", ...where));
}

/**
 * A tool that its author wrote without a thought of `client_id`, and the walkthrough's client, which sends it as an argument:
 * after the death of both sides there is one task, and the same call continues it to 50 of 50.
 */
export function runOwnToolDemonstration(project: PackedProject): Promise<SuiteRun> {
  const title = "seed: an author's own tool with the walkthrough's client";
  return demonstrate(title, serveOwnTool(project), async (check, server, open) => {
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
}
