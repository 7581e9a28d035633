import { ResumableError } from "../errors.js";
import { engineDefaults } from "../limits.js";
import { isStandardSchema } from "../schema.js";
import { finalStatuses, type TaskStatus } from "../task-record.js";
import type { Tool } from "../tool.js";
import { checkLimit } from "./check-checkpoint.js";
import type { Clock, Engine, EngineOptions } from "./engine.js";
import { createOwnedTasks } from "./owned-tasks.js";
import { createScheduler, type Scheduler } from "./scheduler.js";
import { systemClock } from "./system-clock.js";
import { randomId } from "./task-key.js";

/**
 * Makes the engine that runs tools durably.
 *
 * Nothing is read or written until `open()` or the first use of a task.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`, `INVALID_OPTION`.
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock = systemClock, createId = randomId, onError = () => {} } = options;
  const limits = { ...engineDefaults, ...options.limits } as typeof engineDefaults;
  const tools = toolTable(options);
  const worker = `w_${createId()}`;
  const unfinished = new Map<string, Set<string>>();
  const callers = new Map<string, number>();
  let opened: Promise<void> | undefined;
  let draining = false;
  let closed: Promise<void> | undefined;
  let beginDrain = () => {};
  const drainStarted = new Promise<void>((resolve) => {
    beginDrain = resolve;
  });
  const stops: (() => void)[] = [];

  const scheduler: Scheduler = createScheduler({
    store,
    tools,
    recover: options.recover === "all" ? "all" : "auto",
    worker,
    limits,
    clock,
    validate: options.validateJsonSchema,
    observer: options.observer,
    onError,
    onFinished: (record) => unfinished.get(record.owner)?.delete(record.id),
  });

  const open = (): Promise<void> => {
    opened ??= begin();
    return opened;
  };
  const begin = async (): Promise<void> => {
    const beat = (): Promise<void> => store.heartbeat({ worker, now: instant(clock) });
    await beat();
    stops.push(repeat(clock, limits.heartbeatMs, beat, onError));
    stops.push(repeat(clock, limits.sweepEveryMs, sweep, onError));
    stops.push(store.watch(undefined, () => void scheduler.look()));
    await scheduler.look();
  };

  const sweep = async (): Promise<number> => {
    let deleted = 0;
    const expired = await store.listExpired({ now: instant(clock), limit: limits.sweepBatch });
    for (const id of expired) {
      if (draining) break;
      if (await scheduler.remove(id)) deleted += 1;
    }
    return deleted;
  };

  const admit = async (owner: string): Promise<void> => {
    const known = unfinished.get(owner)?.size ?? 0;
    if (known < limits.maxUnfinishedPerOwner) return;
    const page = await store.listTasks({ owner, statuses: unfinishedStatuses, limit: 1_000 });
    unfinished.set(owner, new Set(page.tasks.map((task) => task.id)));
    checkLimit("maxUnfinishedPerOwner", page.tasks.length + 1, limits.maxUnfinishedPerOwner);
  };

  const drain: Engine["drain"] = async ({ timeoutMs = limits.drainTimeoutMs } = {}) => {
    draining = true;
    beginDrain();
    const left = await scheduler.drain(timeoutMs);
    for (const stop of stops.splice(0)) stop();
    return left;
  };

  const toolNamed = (name: string): Tool => {
    const tool = tools.get(name);
    if (tool !== undefined) return tool;
    const known = [...tools.keys()];
    throw new ResumableError(
      "UNKNOWN_TOOL",
      `There is no tool ${JSON.stringify(name)}. Known tools: ${known.join(", ")}.`,
      {
        details: { tool: name, known },
      },
    );
  };

  return {
    tools: [...tools.values()],
    store,
    drainStarted,
    get running() {
      return scheduler.running;
    },
    get draining() {
      return draining;
    },
    tool: toolNamed,
    open,
    sweep,
    drain,
    forOwner: (owner) =>
      opening(
        createOwnedTasks({
          owner: checkOwner(owner),
          store,
          clock,
          limits,
          scheduler,
          createId,
          validate: options.validateJsonSchema,
          toolNamed,
          callers,
          onError,
          admit,
          admitted: (of, taskId) => {
            const ids = unfinished.get(of) ?? new Set();
            unfinished.set(of, ids.add(taskId));
          },
          checkOpen: () => {
            if (draining) throw drainingError();
          },
        }),
        open,
      ),
    close: () => {
      closed ??= drain().then(() => store.close());
      return closed;
    },
  };
}

const unfinishedStatuses: readonly TaskStatus[] = (
  ["pending", "running", "paused", "input_required", "completed", "failed", "cancelled"] as const
).filter((status) => !finalStatuses.includes(status));

/** Opens the engine before the first task is started: until then a process that only answers probes touches nothing. */
function opening(tasks: ReturnType<typeof createOwnedTasks>, open: () => Promise<void>): typeof tasks {
  return {
    ...tasks,
    async start(request) {
      await open();
      return tasks.start(request);
    },
    async resume(taskId) {
      await open();
      return tasks.resume(taskId);
    },
    async answer(taskId, key, answer) {
      await open();
      return tasks.answer(taskId, key, answer);
    },
    async pause(taskId) {
      await open();
      return tasks.pause(taskId);
    },
    async cancel(taskId) {
      await open();
      return tasks.cancel(taskId);
    },
  };
}

function toolTable({ tools, validateJsonSchema }: EngineOptions): ReadonlyMap<string, Tool> {
  const table = new Map<string, Tool>();
  for (const tool of tools) {
    if (table.has(tool.name)) {
      throw new ResumableError("TOOL_NAME_TAKEN", `Two tools are named ${tool.name}. Rename one of them.`, {
        details: { tool: tool.name },
      });
    }
    if (!isStandardSchema(tool.input) && validateJsonSchema === undefined) {
      throw new ResumableError(
        "INVALID_OPTION",
        `The input of tool ${tool.name} is plain JSON Schema, which needs a validator: pass validateJsonSchema to createEngine.`,
        { details: { option: "validateJsonSchema" } },
      );
    }
    table.set(tool.name, tool);
  }
  return table;
}

function checkOwner(owner: string): string {
  if (/^(sub|client|session|local):./.test(owner)) return owner;
  throw new ResumableError(
    "INVALID_OPTION",
    "An owner is a tagged string such as sub:alice or session:4f1c; make it with ownerTag.",
    { details: { option: "owner" } },
  );
}

function drainingError(): ResumableError {
  return new ResumableError(
    "DRAINING",
    "The server is about to stop and takes no new work. Try again in a few seconds.",
    {
      details: {},
    },
  );
}

function instant(clock: Clock): { readonly wallMs: number; readonly monotonicMs: number } {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
}

/** Calls again and again, each time after the one before has ended. Returns how to stop. */
function repeat(
  clock: Clock,
  everyMs: number,
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  let stopped = false;
  let stopTimer = () => {};
  const arm = (): void => {
    if (stopped) return;
    stopTimer = clock.after(everyMs, () => void run().catch(onError).finally(arm));
  };
  arm();
  return () => {
    stopped = true;
    stopTimer();
  };
}
