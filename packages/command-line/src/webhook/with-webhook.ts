import type { Store } from "@resumable-mcp/core";
import { type Clock, inTime, repeat, systemClock, withDefaults } from "@resumable-mcp/core/internal";
import type { Instant } from "@resumable-mcp/core/store";
import { errorSentence } from "../command-error.js";
import { retryMs, type WebhookLimits, webhookLimits } from "./limits.js";
import { messageId, Outbox, type OutboxEntry, statusOf } from "./outbox.js";
import { failureOf, sendOnce, type WebhookTarget } from "./request.js";

/** What tells a receiver of tasks. */
export interface WebhookOptions extends WebhookTarget {
  /** Hears sentences about what could not be delivered. */
  readonly onProblem: (sentence: string) => void;
  readonly clock?: Clock;
  readonly limits?: Partial<WebhookLimits>;
}

/**
 * Makes a store that tells a receiver of each task that fails, completes or needs input.
 *
 * Durability: a message is durable before the change of its task is. So it is delivered at least once, whichever process dies at
 * whichever moment; a message whose change never came about is recognised by the task's journal, and is not sent. Repetitions have the same
 * id. All processes share the messages, and each is sent by the one that has claimed it.
 * Limits: `webhookLimits`; after the last of `retryMs` a message is given up.
 */
export function withWebhook(store: Store, options: WebhookOptions): Store {
  const sender = new WebhookSender(store, options);
  const own: Partial<Store> = {
    async open() {
      await store.open();
      sender.start();
    },
    commit: (request) => sender.commit(request),
    async close() {
      await sender.stop();
      await store.close();
    },
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

class WebhookSender {
  readonly #store: Store;
  readonly #outbox: Outbox;
  readonly #options: WebhookOptions;
  readonly #limits: WebhookLimits;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  /** Of this process's own commits, with the time until which they are its own. */
  readonly #waiting: { readonly entry: OutboxEntry; readonly untilMs: number }[] = [];
  readonly #sending = new Set<Promise<void>>();
  #looking: Promise<void> = Promise.resolve();
  #stopLooks: (() => void) | undefined;
  #saidMs = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(store: Store, options: WebhookOptions) {
    this.#store = store;
    this.#options = options;
    this.#limits = withDefaults<WebhookLimits>(webhookLimits, options.limits);
    this.#outbox = new Outbox(store, this.#limits);
    this.#clock = options.clock ?? systemClock;
  }

  /** Begins to look for messages that earlier processes left. Safe to repeat. */
  start(): void {
    const look = () => {
      this.#looking = this.#look();
      return this.#looking;
    };
    this.#stopLooks ??= repeat(this.#clock, { firstMs: 0, everyMs: this.#limits.lookEveryMs }, look, (error) =>
      this.#say(errorSentence(error)),
    );
  }

  async stop(): Promise<void> {
    this.#stopLooks?.();
    this.#waiting.length = 0;
    const ended = Promise.allSettled([this.#looking, ...this.#sending]);
    const isLate = (await inTime(ended, this.#limits.stopMs, () => undefined)) === undefined;
    this.#stopping.abort();
    if (isLate) await ended;
  }

  async commit(request: Parameters<Store["commit"]>[0]): ReturnType<Store["commit"]> {
    const { events, afterSeq, lease, now } = request;
    const index = events.findLastIndex((event) => statusOf(event) !== undefined);
    const event = events[index];
    const status = event && statusOf(event);
    const task = status && (await this.#store.getTask(lease.taskId));
    if (status === undefined || task === undefined) return this.#store.commit(request);
    const { id, tool } = task.record;
    const message = { id, tool, status, time: new Date(now.wallMs).toISOString() };
    const until = this.#in(this.#limits.claimMs);
    const entry = await this.#outbox.add(message, afterSeq + 1 + index, until);
    // Where this fails the journal says later whether the change came about.
    const committed = await this.#store.commit(request);
    if (entry === undefined)
      this.#say(`${this.#limits.maxMessages} messages wait already, and further ones are left out`);
    else this.#sendSoon({ ...entry, committed: true }, until.wallMs);
    return committed;
  }

  #sendSoon(entry: OutboxEntry, untilMs: number): void {
    if (this.#waiting.length < this.#limits.maxWaiting) this.#waiting.push({ entry, untilMs });
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#sending.size < this.#limits.maxRequests) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      // Another process may have claimed it by the time that it is sent.
      if (this.#clock.wallMs() + this.#limits.timeoutMs > next.untilMs) continue;
      const sent = this.#send(next.entry).finally(() => {
        this.#sending.delete(sent);
        this.#sendNext();
      });
      this.#sending.add(sent);
    }
  }

  /** Sends what is due: messages of processes that died, and those whose receiver did not accept them. */
  async #look(): Promise<void> {
    const due = [...(await this.#outbox.listDue(this.#clock.wallMs(), this.#limits.lookBatch))];
    const takeTurns = async () => {
      for (let id = due.shift(); id !== undefined && !this.#stopping.signal.aborted; id = due.shift())
        await this.#takeOver(id).catch((error: unknown) => this.#say(errorSentence(error)));
    };
    await Promise.all(Array.from({ length: this.#limits.maxRequests }, takeTurns));
  }

  async #takeOver(id: string): Promise<void> {
    const entry = await this.#outbox.claim(id, this.#clock.wallMs(), this.#in(this.#limits.claimMs));
    if (entry === undefined) return;
    const known = entry.committed ? entry : await this.#findOut(entry);
    if (known === "never") await this.#outbox.remove(id);
    else if (known !== "open") await this.#send(known);
  }

  /** Whether a change came about: the journal has another event in its place, or is not that long yet. */
  async #findOut(entry: OutboxEntry): Promise<OutboxEntry | "never" | "open"> {
    const { id } = entry.message;
    const task = await this.#store.getTask(id);
    if (task !== undefined && task.record.lastSeq < entry.seq) return "open";
    // What was compacted, or deleted with its task, cannot be asked: rather a message too many.
    const page = task && (await this.#store.readEvents(id, { afterSeq: entry.seq - 1, limit: 1 }));
    const event = page?.snapshot === undefined ? page?.events[0] : undefined;
    if (event === undefined) return { ...entry, committed: true };
    const status = statusOf(event);
    const message = status && { ...entry.message, status, time: event.at };
    return message === undefined ? "never" : { ...entry, message, committed: true };
  }

  async #send(entry: OutboxEntry): Promise<void> {
    const { timeoutMs } = this.#limits;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]);
    const id = messageId(entry);
    try {
      const body = JSON.stringify(entry.message);
      await sendOnce(this.#options, { id, body, nowMs: this.#clock.wallMs() }, signal);
    } catch (error) {
      // A server that stops leaves it to the next one.
      if (!this.#stopping.signal.aborted) await this.#sendLater(entry, failureOf(error));
      return;
    }
    await this.#outbox.remove(id).catch((error: unknown) => this.#say(errorSentence(error)));
  }

  async #sendLater(entry: OutboxEntry, failure: string): Promise<void> {
    const waitMs = retryMs[entry.attempts];
    const { id, status } = entry.message;
    try {
      if (waitMs === undefined) await this.#outbox.remove(messageId(entry));
      else {
        const due = this.#in(waitMs * (1 + Math.random() / 10));
        await this.#outbox.change({ ...entry, attempts: entry.attempts + 1 }, due);
      }
    } catch (error) {
      this.#say(errorSentence(error));
    }
    if (waitMs === undefined) this.#options.onProblem(`Webhook: given up after days: task ${id} is ${status}.`);
    else this.#say(`${failure}; the message is sent again`);
  }

  #in(ms: number): Instant {
    return { wallMs: this.#clock.wallMs() + ms, monotonicMs: this.#clock.monotonicMs() };
  }

  #say(failure: string): void {
    this.#unsaid += 1;
    if (this.#clock.monotonicMs() - this.#saidMs < this.#limits.sayEveryMs) return;
    const { url, onProblem } = this.#options;
    const times = this.#unsaid === 1 ? "" : ` (and ${this.#unsaid - 1} more failures)`;
    onProblem(`Webhook to ${url.origin}: ${failure}${times}.`);
    this.#saidMs = this.#clock.monotonicMs();
    this.#unsaid = 0;
  }
}
