import { storeQuotaDefaults } from "@resumable-mcp/core/store";

/** Every default of the PostgreSQL store, with its unit in its name. */
export const postgresStoreDefaults = {
  ...storeQuotaDefaults,
  /** Far from its quotas a store is counted again when what is known of other processes is older than this; nearer to them sooner. */
  remeasureMs: 60_000,
  /** Connections for commits, and for everything else; one more is for notifications. Each has one statement at a time. */
  maxWriters: 2,
  maxConnections: 4,
  connectTimeoutMs: 10_000,
  /** A statement without an answer for this long has failed, and its outcome is unknown. The server is not asked to end it. */
  statementTimeoutMs: 30_000,
  /** Commits of different tasks that share a statement. */
  maxBatchTasks: 128,
  maxBatchBytes: 1024 * 1024,
  /** Tasks that are read by one statement. */
  maxReadTasks: 128,
  /** One commit, as JSON. */
  maxCommitBytes: 32 * 1024 * 1024,
  /** A page of events or items ends early beyond this many bytes. */
  maxPageBytes: 8 * 1024 * 1024,
  /** Events since the last snapshot of a task after which another is written, if they also take twice the snapshot's bytes. */
  snapshotBytes: 64 * 1024,
  /** Beyond this many bytes of events a task keeps those since the snapshot before its newest one, and all items. */
  maxEventBytes: 12 * 1024 * 1024,
  /** Rows of a journal that one statement compacts. */
  compactRows: 1000,
  /** Folded tasks that are kept in memory, in addition to those that run here. */
  maxCachedTasks: 1024,
  maxCachedBytes: 16 * 1024 * 1024,
  /** Notifications to other processes are collected for this long. */
  notifyPauseMs: 20,
  /** When to connect again after the connection for notifications broke. */
  reconnectMs: 1000,
  /**
   * A process whose lock was seen missing is dead when its heartbeat does not move for this long from then on. `Infinity`: only the
   * lease's time counts.
   */
  deathNoticeMs: 2000,
  /** How often a process looks at the locks of the others. */
  deathLookMs: 500,
  /** A worker without a heartbeat for this long is forgotten. */
  forgetWorkerMs: 60 * 60 * 1000,
  /** What the server answers later than this is taken to be of the time of the answer. */
  slowAnswerMs: 1000,
} as const;

/** The limits of one store. */
export type PostgresStoreLimits = { readonly [Name in keyof typeof postgresStoreDefaults]: number };
