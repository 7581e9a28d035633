import { randomUUID } from "node:crypto";

/** What the fake tells of one event of a task. */
export interface FakeEvent {
  readonly seq: number;
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly log?: { readonly level: string; readonly data: string };
}

type Status = "running" | "paused" | "input_required" | "completed" | "failed" | "cancelled";

/** A task that the test moves by hand; it outlives the fake server's process, as a durable one does. */
export class FakeTask {
  readonly id = randomUUID();
  readonly createdAt = new Date().toISOString();
  readonly events: FakeEvent[] = [];
  readonly items: number[] = [];
  status: Status = "running";
  question: { key: string; message: string; schema: object } | undefined;
  answer: unknown;
  result: Record<string, unknown> = {};
  readonly #waiters = new Set<() => void>();

  readonly tool: string;
  readonly owner: string;
  readonly key: string;

  constructor(tool: string, owner: string, key: string) {
    this.tool = tool;
    this.owner = owner;
    this.key = key;
  }

  get lastSeq(): number {
    return this.events.length;
  }

  get last() {
    return this.events.findLast(({ progress }) => progress !== undefined)?.progress;
  }

  checkpoint(progress: number, total = 50): void {
    this.items.push(progress);
    this.#add({ progress: { progress, total, message: `Processed ${progress}/${total} records` } });
  }

  log(data: string): void {
    this.#add({ log: { level: "info", data } });
  }

  ask(key: string, message: string): void {
    this.question = { key, message, schema: { type: "object", properties: { ok: { type: "boolean" } } } };
    this.move("input_required");
  }

  complete(structuredContent: Record<string, unknown>): void {
    this.result = { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    this.move("completed");
  }

  move(status: Status): void {
    this.status = status;
    this.#wake();
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  toWire(): Record<string, unknown> {
    const { progress = 0, total, message } = this.last ?? {};
    return {
      task_id: this.id,
      task_name: this.tool,
      status: this.status,
      interrupted: false,
      progress,
      total,
      progress_percent: total === undefined ? undefined : Math.floor((progress / total) * 100),
      message,
      attempt: 1,
      generation: 1,
      item_count: this.items.length,
      last_seq: this.lastSeq,
      created_at: this.createdAt,
      updated_at: this.createdAt,
      questions: this.question === undefined ? undefined : [this.question],
    };
  }

  #add(event: Omit<FakeEvent, "seq">): void {
    this.events.push({ seq: this.events.length + 1, ...event });
    this.#wake();
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
    this.#waiters.clear();
  }
}

/** All tasks of a fake server: what a store would hold. */
export class FakeTasks {
  /** Why the server behind has not started; absent: there is none. */
  notStarted: string | undefined;
  readonly all: FakeTask[] = [];
  /** With this code, the server refuses every tool that looks at a task. */
  fault: string | undefined;
  readonly #waiters = new Set<() => void>();

  start(tool: string, owner: string, input: object, newTask: unknown): FakeTask {
    const key = JSON.stringify([owner, tool, typeof newTask === "string" ? newTask : input]);
    const open = this.all.find(
      (task) => task.key === key && !["completed", "failed", "cancelled"].includes(task.status),
    );
    if (open !== undefined && newTask !== true) return open;
    const task = new FakeTask(tool, owner, key);
    this.all.push(task);
    for (const waiter of this.#waiters) waiter();
    return task;
  }

  find(owner: string, id: string): FakeTask | undefined {
    return this.all.find((task) => task.id === id && task.owner === owner);
  }

  /** Resolves to the task of a number as soon as it was started. */
  async started(number = 1): Promise<FakeTask> {
    for (;;) {
      const task = this.all[number - 1];
      if (task !== undefined) return task;
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }
}
