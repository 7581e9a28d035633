import { join } from "node:path";
import { z } from "zod";
import { start } from "../program.js";
import { Demonstration, type SuiteRun } from "../run-suite.js";
import { type DemoServer, demoPrograms, startDemoServer } from "../servers.js";

const listed = z.object({
  persistent_id: z.string(),
  total_tasks: z.number(),
  tasks: z.array(
    z.looseObject({ task_id: z.string(), status: z.string(), progress: z.string(), progress_percent: z.number() }),
  ),
});
const processed = z.looseObject({
  task_id: z.string(),
  digest: z.string(),
  records: z.array(z.looseObject({ record_id: z.string() })),
});
const stats = z.object({ checkpoint_stats: z.record(z.string(), z.number()), total_checkpoints: z.number() });
const items = z.looseObject({ items: z.array(z.looseObject({ record_id: z.string() })) });
const seedTools = [
  "resumable_data_processing",
  "pause_task",
  "list_session_tasks",
  "get_checkpoint_stats",
  "get_session_info",
];
const interruptedAt = 15;
const total = 50;

/**
 * The walkthrough's demonstration with a client like its own: a job of 50 records is interrupted at 15 by the death of
 * both sides; both are started again, the tasks show one at 30 %, and the same choice continues to exactly 50.
 */
export function runSeedDemonstration(): Promise<SuiteRun> {
  return demonstrate(
    "seed: the walkthrough's client and its demonstration",
    startDemoServer(),
    async (check, server, open) => {
      const first = await interrupt(check, server, await open());
      await server.start();
      const second = await open();
      const taskId = await showsTheTask(check, second, first);
      await continues(check, second, taskId);
      await speaksWithoutClientId(check, second, taskId);
    },
  );
}

/** Runs a demonstration in which clients with one state file come and go; whatever still runs is ended. */
export async function demonstrate(
  title: string,
  starting: Promise<DemoServer>,
  steps: (check: Demonstration, server: DemoServer, open: () => Promise<SeedProcess>) => Promise<void>,
): Promise<SuiteRun> {
  const check = new Demonstration(title);
  const server = await starting;
  const clients: SeedProcess[] = [];
  const open = async (): Promise<SeedProcess> => {
    const client = await startSeedClient(server.url, join(server.folder, "session_state.json"));
    clients.push(client);
    return client;
  };
  try {
    return await check.run(() => steps(check, server, open));
  } finally {
    await Promise.all(clients.map((client) => client.kill()));
    await server.close();
  }
}

/** The first run: begins the job, and both sides die at 15 of 50. */
async function interrupt(check: Demonstration, server: DemoServer, client: SeedProcess): Promise<SeedEvent> {
  const connected = client.events[0] ?? { event: "none" };
  check.equal("the client calls itself by 16 characters of a UUID", String(connected.clientId).length, 16);
  const { names } = await client.ask("tools", "tools");
  const missing = seedTools.filter((name) => !Object(names).includes(name));
  check.equal("the tools have their names", missing, []);
  const reached = client.next(({ event, progress }) => event === "progress" && progress === interruptedAt);
  client.enter("1");
  await reached;
  await Promise.all([server.kill(), client.kill()]);
  const shown = client.events.filter(({ event }) => event === "progress");
  const expected = [5, 10, interruptedAt].map((progress) => ({ event: "progress", ...said(progress) }));
  check.equal("progress comes batch by batch", shown, expected);
  check.equal("a new job says that it starts", logs(client)[0], `Starting new processing of ${total} records`);
  return connected;
}

const said = (progress: number) => ({ progress, total, message: `Processed ${progress}/${total} records` });
const logs = (client: SeedProcess) => client.events.flatMap(({ event, data }) => (event === "log" ? [data] : []));

/** The second run: the client is the same, the session another, and there is one task at 30 %. */
async function showsTheTask(check: Demonstration, client: SeedProcess, before: SeedEvent): Promise<string> {
  const connected = client.events[0];
  check.equal("the client is the same", connected?.clientId, before.clientId);
  check.equal("its state knows the session of before", connected?.sessionBefore, before.sessionId);
  check.holds("the session is another", connected?.sessionId !== before.sessionId, connected?.sessionId);
  const { data } = await client.ask("2", "tasks");
  const { persistent_id, total_tasks, tasks } = listed.parse(data);
  check.equal("the tasks are those of the client", persistent_id, before.clientId);
  check.equal("there is one task", total_tasks, 1);
  const shown = tasks.map(({ progress, progress_percent }) => ({ progress, progress_percent }));
  check.equal("it is at 30 %", shown, [{ progress: "15/50", progress_percent: 30 }]);
  const isOpen = tasks.every(({ status }) => ["pending", "running", "paused"].includes(status));
  check.holds("it is not finished", isOpen, tasks);
  return tasks[0]?.task_id ?? "";
}

const idsOf = ({ records }: Pick<z.output<typeof processed>, "records">) => records.map(({ record_id }) => record_id);

/** The same choice continues from 15, and ends with each record once. */
async function continues(check: Demonstration, client: SeedProcess, taskId: string): Promise<void> {
  const from = client.events.length;
  const { data } = await client.ask("1", "processed");
  const result = processed.parse(data);
  const events = client.events.slice(from).filter(({ event }) => event === "progress");
  const progress = events.map((event) => Number(event.progress));
  check.equal("the same call finds the same task", result.task_id, taskId);
  check.equal("progress continues from 15", progress, [15, 20, 25, 30, 35, 40, 45, 50]);
  check.holds("the log says so", logs(client).includes("Resuming processing from record 15"), logs(client));
  const { total_processed, dataset_name, status } = result;
  const said50 = { total_processed: total, dataset_name: "customer_data", status: "completed" };
  check.equal("the result says 50", { total_processed, dataset_name, status }, said50);
  const ids = Array.from({ length: total }, (_, index) => `customer_data_${String(index).padStart(6, "0")}`);
  check.equal("it shows the first five records", idsOf(result), ids.slice(0, 5));
  const kept = items.parse((await client.ask(`items ${taskId}`, "items")).data);
  check.equal("each record is there once", idsOf({ records: kept.items }), ids);
  const straight = processed.parse((await client.ask("straight", "straight")).data);
  check.equal("the output is that of an undisturbed run", result.digest, straight.digest);
}

/** Statistics, session and pause come without `client_id`, and mean the client of the session. */
async function speaksWithoutClientId(check: Demonstration, client: SeedProcess, taskId: string): Promise<void> {
  const { persistent_id } = listed.parse((await client.ask("2", "tasks")).data);
  const counted = stats.parse((await client.ask("3", "stats")).data);
  const counts = [counted.total_checkpoints, counted.checkpoint_stats.completed];
  check.equal("the statistics count the client's task", counts, [1, 1]);
  const session = z
    .looseObject({ session_id: z.string(), client_id: z.string() })
    .parse((await client.ask("4", "session")).data);
  const { sessionId, clientId } = client.events[0] ?? { event: "none" };
  const shown = [session.session_id, session.client_id, "request_id" in session];
  check.equal("the session says its ids", shown, [sessionId, clientId, true]);
  check.equal("the client is that of the list", persistent_id, clientId);
  const refused = await client.ask(`pause ${taskId}`, "paused");
  check.equal("a finished task is not paused", refused.isError, true);
  const begun = client.next(({ event }) => event === "progress");
  client.enter("other");
  await begun;
  const { tasks } = listed.parse((await client.ask("2", "tasks")).data);
  const running = tasks.find(({ task_id }) => task_id !== taskId)?.task_id ?? "";
  const paused = z.looseObject({ message: z.string() }).parse((await client.ask(`pause ${running}`, "paused")).data);
  check.equal("a running task is paused by its id alone", paused.message, `Task ${running} paused correctly`);
}

const line = z.looseObject({ event: z.string() });
/** What the client printed. */
export type SeedEvent = z.output<typeof line>;

/** The client of the walkthrough in a process of its own. */
export interface SeedProcess {
  /** All that it printed. */
  readonly events: readonly SeedEvent[];
  /** Types a line. */
  enter(command: string): void;
  /** Resolves with the next event, printed from now on, that is wanted. */
  next(wanted: (event: SeedEvent) => boolean): Promise<SeedEvent>;
  /** Types a line, and waits for an event of that name. */
  ask(command: string, event: string): Promise<SeedEvent>;
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Starts the client; its first event is `connected`. */
export async function startSeedClient(url: string, stateFile: string): Promise<SeedProcess> {
  const program = start(process.execPath, [demoPrograms.seedClient, url, stateFile], { input: true });
  const events = () =>
    program
      .stdout()
      .split("\n")
      .slice(0, -1)
      .map((text) => line.parse(JSON.parse(text)));
  const enter = (command: string) => void program.child.stdin?.write(`${command}\n`);
  const next: SeedProcess["next"] = (wanted) => {
    const from = events().length;
    return program.until("the event", () => events().slice(from).find(wanted));
  };
  await program.seen(/"event":"connected".*\n/);
  return {
    get events() {
      return events();
    },
    next,
    ask(command, name) {
      const answered = next(({ event }) => event === name || event === "failed");
      enter(command);
      return answered;
    },
    enter,
    kill: () => program.stop(),
  };
}
