import { askAgainMs } from "../../call/follow-call.js";

/** Every limit of sessions, with its unit in its name. */
export const sessionLimits = {
  /** Of one POST. */
  maxBodyBytes: 4 * 1024 * 1024,
  /**
   * Sessions that one authenticated subject may have; of callers without authentication, all together. Each process
   * counts those that it opened.
   */
  maxSessionsPerOwner: 10_000,
  /** Sessions kept in memory; beyond that the longest idle one goes to the store. */
  maxLiveSessions: 2_000,
  /** Streams of one session that are open at once. */
  maxStreams: 256,
  /** Calls of one session that are unfinished at once. */
  maxOpenCalls: 256,
  /** Finished calls that a session still knows, so that a late cursor is answered rightly. */
  maxFinishedCalls: 16,
  /** Of one stream, written and not yet read; then the writer waits. */
  maxStreamBytes: 256 * 1024,
  /** How long a stream may stay full before it is closed; its caller may come back. */
  maxStallMs: 60_000,
  /** Events of one stream that are kept to be sent again within this process. */
  maxReplayEvents: 256,
  maxReplayBytes: 1024 * 1024,
  keepAliveMs: 15_000,
  /**
   * When clients come back after a stream broke. Stock clients try twice, after this time and after twice this time: a
   * server that is away for longer than both loses the call.
   */
  retryMs: 7_500,
  /** The same, as a server that stops tells it: what follows is a deploy, which takes longer than a crash. */
  drainRetryMs: 15_000,
  /** The same, where a handler ended the stream of its request early: the server is there. */
  pollRetryMs: 1_000,
  /**
   * After a restart: how long an answer to a question that was shown before is waited for, before it is shown again. And
   * after which time it is shown again when its answer could not be stored.
   */
  askAgainMs,
  /** A session without a request for this long is kept only in the store. */
  idleMs: 5 * 60_000,
  /** A session without a request for this long is forgotten. */
  sessionTtlMs: 7 * 24 * 60 * 60_000,
  sweepEveryMs: 60_000,
} as const;

/** Limits of sessions, as numbers. */
export type SessionLimits = { readonly [Name in keyof typeof sessionLimits]: number };
