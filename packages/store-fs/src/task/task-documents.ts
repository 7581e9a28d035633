import { openDocument } from "@resumable-mcp/documents";
import type { StoreContext } from "../disk/store-context.js";
import type { LiveLease } from "../journal/live-lease.js";
import { lookAt } from "../journal/task-folder.js";
import { documentOf, documentOptions } from "./task-document.js";

/** A document that is to be written as soon as the one before is. */
interface Waiting {
  readonly live: LiveLease;
  /** It says how the task rests, and is synced: it may be the last one. */
  readonly isLasting: boolean;
}

/**
 * Writes the readable documents of tasks, in the background and never two of one task at once.
 *
 * At a change of status at once; else one for each task in `documentPauseMs`, and those one after the other: no
 * checkpoint waits for one, or for the sync of one.
 */
export class TaskDocuments {
  private readonly context: StoreContext;
  private readonly waiting = new Map<string, Waiting>();
  private readonly running = new Map<string, Promise<void>>();
  /** Tasks whose last document was written too short a time ago, and when the next one is due. */
  private readonly timers = new Map<string, { readonly live: LiveLease; readonly timer: NodeJS.Timeout }>();
  private readonly due = new Set<LiveLease>();
  private pumping: Promise<void> | undefined;

  constructor(context: StoreContext) {
    this.context = context;
  }

  /** Notes a commit, at the caller's monotonic time. */
  note(live: LiveLease, { statusChanged, nowMs }: { statusChanged: boolean; nowMs: number }): void {
    if (statusChanged) {
      this.stopTimer(live);
      live.documentMs = nowMs;
      void this.schedule({ live, isLasting: true });
      return;
    }
    if (this.timers.has(live.lease.taskId)) return;
    const leftMs = live.documentMs + this.context.limits.documentPauseMs - nowMs;
    if (leftMs <= 0) this.makeDue(live, nowMs);
    else this.startTimer(live, { leftMs, dueMs: nowMs + leftMs });
  }

  private startTimer(live: LiveLease, { leftMs, dueMs }: { leftMs: number; dueMs: number }): void {
    const { taskId } = live.lease;
    const timer = setTimeout(() => {
      this.timers.delete(taskId);
      this.makeDue(live, dueMs);
    }, leftMs).unref();
    this.timers.set(taskId, { live, timer });
  }

  private stopTimer({ lease: { taskId } }: LiveLease): void {
    clearTimeout(this.timers.get(taskId)?.timer);
    this.timers.delete(taskId);
  }

  private makeDue(live: LiveLease, nowMs: number): void {
    live.documentMs = nowMs;
    this.due.add(live);
    this.pumping ??= this.pump();
  }

  private async pump(): Promise<void> {
    for (const live of this.due) {
      this.due.delete(live);
      await this.schedule({ live, isLasting: false });
      if (this.due.size > 0) await pause(this.context.limits.documentSpacingMs);
    }
    this.pumping = undefined;
  }

  private schedule({ live, isLasting }: Waiting): Promise<void> {
    const { taskId } = live.lease;
    this.waiting.set(taskId, { live, isLasting: isLasting || this.waiting.get(taskId)?.isLasting === true });
    const running = this.running.get(taskId) ?? this.drain(taskId);
    this.running.set(taskId, running);
    return running;
  }

  private async drain(taskId: string): Promise<void> {
    for (let next = this.waiting.get(taskId); next !== undefined; next = this.waiting.get(taskId)) {
      this.waiting.delete(taskId);
      try {
        await this.write(next);
      } catch {
        // A copy that cannot be written leaves the older one; the journal has all.
      }
    }
    this.running.delete(taskId);
  }

  private async write({ live, isLasting }: Waiting): Promise<void> {
    const { context } = this;
    const { taskId } = live.lease;
    const mayReplace = () => {
      context.observe("store.record.written", taskId);
      return isNewest(context, live);
    };
    const sync = context.durable && isLasting ? "content" : "none";
    const options = { ...documentOptions(context, taskId), sync, mayReplace } as const;
    const { birth } = live.view.header;
    const now = () => documentOf(live.durable, { birth, epoch: live.epoch });
    const document = await openDocument(options, now());
    const { data } = document;
    // Whoever took the task over is ahead.
    if (data.birth === birth && data.record.lastSeq > live.durable.lastSeq) return;
    document.data = now();
    await document.write();
    context.observe("store.record.renamed", taskId);
  }

  /** Resolves when everything noted so far is written. */
  async idle(): Promise<void> {
    for (const { live, timer } of this.timers.values()) {
      clearTimeout(timer);
      this.due.add(live);
    }
    this.timers.clear();
    for (const live of this.due) void this.schedule({ live, isLasting: false });
    this.due.clear();
    await this.pumping;
    while (this.running.size > 0) await Promise.all(this.running.values());
  }
}

/** Nobody has taken the task over: an older document must not replace the one of a newer epoch. */
function isNewest({ disk }: StoreContext, { folder, epoch, seen, quietPath }: LiveLease): boolean {
  if (seen?.newest === epoch && disk.exists(quietPath)) return true;
  return lookAt(disk, folder)?.newest === epoch;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
