/** Every limit of the 2026 era, with its unit in its name. */
export const limits2026 = {
  /** Of one POST that was not read before. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Subscriptions of one endpoint, or of one connection over stdio, that are open at once. */
  maxSubscriptions: 8_192,
  /** Of one owner. */
  maxSubscriptionsPerOwner: 128,
  /** Tasks that one subscription may name by id, and as many as resources. */
  maxTasksPerSubscription: 256,
  /** How often an idle stream says that it lives. */
  keepAliveMs: 15_000,
  /** Servers of one endpoint that wait for their next request. */
  maxIdleServers: 64,
  /** The longest event of an SDK's stream that is waited for, in characters: its own messages are far below. */
  maxFrameLength: 16 * 1024 * 1024,
  /** How long the end of a draining server waits for the answers of calls that it sends away. */
  drainAnswersMs: 3_000,
} as const;
