import { join } from "node:path";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { type Lease, storeErrors } from "@resumable-mcp/core/store";
import { hasCode } from "../disk/disk.js";
import { type TakenOver, takeOver } from "../journal/take-over.js";
import type { TaskReading } from "./held-task.js";
import type { TaskReader } from "./task-reader.js";
import { TaskWriter } from "./task-writer.js";
import type { WorkerRegistry } from "./worker-registry.js";
import type { WriterParts } from "./writer-files.js";

type AcquireRequest = Parameters<Store["acquireLease"]>[0];
type Acquired = Awaited<ReturnType<Store["acquireLease"]>>;

interface Parts extends WriterParts {
  readonly held: Map<string, TaskWriter>;
  readonly reader: TaskReader;
  readonly workers: WorkerRegistry;
  readonly openTasks: { doubt(taskId: string): void };
  makeNamesDurable(record: TaskRecord): Promise<void>;
}

/** The leases that this store holds, each with its writer. */
export class LeaseBook {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes a task's lease. @returns `undefined` when another worker holds it, or was faster. */
  async acquire(request: AcquireRequest): Promise<Acquired> {
    const acquired = await this.#tryAcquire(request);
    // A look for work took it for one that could be had.
    if (acquired === undefined) this.#parts.openTasks.doubt(request.taskId);
    return acquired;
  }

  async #tryAcquire(request: AcquireRequest): Promise<Acquired> {
    const { context, cache, reader, workers, held } = this.#parts;
    const { taskId } = request;
    workers.noteTime(request.now);
    const reading = await reader.require(taskId);
    // A lease of this store that accepts no commit any more may be taken again.
    const isSpent = held.get(taskId)?.isEnded === true;
    if (reader.isLeased(reading.folder, reading) && !isSpent) return undefined;
    await this.#finishMaking(reading);
    const by = { worker: request.worker, holder: workers.beat(request.worker) };
    // Not where another process took over since the task was read.
    const take = { taskId, ttlMs: request.ttlMs, by, after: reading.folder.newest };
    let taken: TakenOver | undefined;
    try {
      taken = takeOver(context, cache, take);
    } catch (error) {
      taken = await reader.tryAgain(taskId, error, async () => takeOver(context, cache, take));
    }
    return taken && this.#begin(request, taken);
  }

  /** The marker comes last: who made a task without one died before the task was durable, or has not got there yet. */
  async #finishMaking({ record, view }: TaskReading): Promise<void> {
    const { context, makeNamesDurable } = this.#parts;
    if (view.header.epoch > 1 || isFinal(record.status)) return;
    if (!context.disk.exists(join(context.layout.open, record.id))) await makeNamesDurable(record);
  }

  async #begin({ taskId, worker }: AcquireRequest, taken: TakenOver): Promise<Acquired> {
    const { held } = this.#parts;
    const writer = new TaskWriter(this.#parts, { taskId, worker, epoch: taken.epoch }, taken);
    const before = held.get(taskId);
    held.set(taskId, writer);
    before?.end();
    try {
      return { lease: writer.lease, snapshot: await writer.begin(taken) };
    } catch (error) {
      // A caller that was not given the lease cannot give it back.
      writer.giveUp();
      // Another process took over since, and removed what is not needed any more.
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** The writer by whose lease this store may write. @throws `LEASE_LOST` when it may not. */
  writerOf(lease: Lease): TaskWriter {
    const writer = this.#parts.held.get(lease.taskId);
    const isSame = writer?.lease.epoch === lease.epoch && writer.lease.worker === lease.worker;
    if (!isSame || writer.isEnded) throw storeErrors.leaseLost(lease);
    return writer;
  }

  /** Gives a lease back; nothing happens when another one took its place. */
  async release(lease: Lease): Promise<void> {
    const writer = this.#parts.held.get(lease.taskId);
    if (writer?.lease.epoch === lease.epoch) await writer.release();
  }

  /** Gives a lease back that could not be released: what ran under it is over, whatever the disk says. */
  leave(lease: Lease): void {
    const writer = this.#parts.held.get(lease.taskId);
    if (writer?.lease.epoch === lease.epoch) writer.leave();
  }

  /** Gives all leases back. */
  async close(): Promise<void> {
    await Promise.all([...this.#parts.held.values()].map((writer) => writer.release()));
  }
}
