const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Every limit of the webhook, with its unit in its name. */
export const webhookLimits = {
  /** Messages of a store that were not delivered yet; beyond that further ones are left out, and the log says so. */
  maxMessages: 10_000,
  /** Requests of this process at once: of new messages, and as many of earlier ones. */
  maxRequests: 8,
  /** New messages that wait in memory for a request; those beyond it are sent when `claimMs` are over. */
  maxWaiting: 1_000,
  /** How long the receiver may take to answer. Source: Standard Webhooks, "Request timeouts". */
  timeoutMs: 15_000,
  /** So long a process has a message for itself; after it, its process counts as dead. */
  claimMs: minuteMs,
  /** How often a process looks for messages that are due, and how many it takes at once. */
  lookEveryMs: 5_000,
  lookBatch: 100,
  /** How long a server that stops waits for requests under way. */
  stopMs: 2_000,
  /** A sentence about failures is written once in this time; it says how many there were. */
  sayEveryMs: minuteMs,
  /** Changes of one message that other processes may make first. */
  maxConflicts: 10,
} as const;

/** The waits between attempts; up to a tenth is added to each. Source: Standard Webhooks, "Example retry schedule". */
export const retryMs: readonly number[] = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];

/** The limits of the webhook, as numbers. */
export type WebhookLimits = { readonly [Name in keyof typeof webhookLimits]: number };
