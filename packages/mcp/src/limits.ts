/** What all calls, control tools and connections keep to, with its unit in each name. */
export const limits = {
  /** Longest `client_id`, in characters, however it is sent. */
  maxClientIdLength: 256,
  /** Shortest `client_id` that identifies the owner of a local request, in characters. */
  minLocalClientIdLength: 8,
  /** Events before the cursor that are read again, to know which progress the caller received last. */
  lookBackEvents: 256,
  /**
   * After which time a question is shown again whose answer may have been lost, or could not be stored, in milliseconds.
   * Sooner would bother users who are still thinking, or whose disk is still full.
   */
  askAgainMs: 30_000,
  /** Answered requests of one connection whose cancellation is still noticed; the oldest is forgotten first. */
  maxReceipts: 256,
  /** How long a call may last before a caller with a time limit is handed off, unless the tool says otherwise. */
  defaultHandoffAfterMs: 45_000,
  maxNamedTasks: 10,
  /** Events of a journal that one read gives, the newest. */
  maxJournalEvents: 1_000,
  /** What one read of a journal gives at most, as JSON, in bytes. */
  maxJournalPartBytes: 1024 * 1024,
  /** Failed tasks of all owners that are counted by tool, the newest. */
  maxCountedFailures: 1_000,
  /** How old what operators see of the servers may be, in milliseconds. */
  serverInfoMs: 3_000,
  maxReadItems: 1_000,
  /** What one read of an artifact as a resource gives at most. */
  maxReadArtifactBytes: 1024 * 1024,
  maxListedResources: 100,
  /** How long another server has to take up a task whose tool this one does not have. */
  foreignToolSeconds: 2,
  /** How long a request waits for the server's list of tools; after that its argument `client_id` is not kept. */
  toolListTimeoutMs: 10_000,
  /** What the status of a task says of the error that another server answered its call with, in characters. */
  maxStatusMessageLength: 2_000,
  /** How often a client is asked to poll, in milliseconds. */
  pollIntervalMs: 1_000,
  /** How long a cancelled task may take to stop before its answer says so anyway: the request is durable. */
  cancelWaitMs: 2_000,
  /** How long a task may take to take an answer before `answer_task` shows it as it is: the answer is durable. */
  answerWaitMs: 2_000,
  /** Cancelled tasks that may still be about to stop, of which one store knows; the oldest is forgotten first. */
  maxStoppingTasks: 1_024,
  /** How long an owner who had too many sessions is refused without counting them again, in milliseconds. */
  countAgainMs: 1_000,
  /** The longest delay that timers accept, in milliseconds: they hold 31 bits. */
  maxTimerMs: 2 ** 31 - 1,
  expireBatch: 1_000,
  /** Sessions of an owner that may end at once for one more, and are read for it. */
  maxRoomBatch: 100,
  maxToolPages: 100,
  maxConflicts: 10,
  /** How long what was only noted waits for a change to go with, in milliseconds; then it is written by itself. */
  noteFlushMs: 5_000,
  /** Of the name of a stream, in characters: clients send it back in a header. */
  maxStreamNameLength: 4_096,
  /** Cancelled calls of one session that it keeps, and progress tokens of its tasks; the oldest go first. */
  maxKeptCalls: 256,
  /** Of one of the params that the name of a stream keeps, and of the URI of a subscription, in characters. */
  maxKeptParamLength: 1_024,
  /** Of the id of a request, in bytes of JSON: the name of its stream holds it. */
  maxRequestIdLength: 1_024,
  /** Sessions whose order of streams is kept in memory. */
  maxStreamLogs: 2_000,
  /** Runs of events whose order is kept for one session. */
  maxStreamMarks: 512,
  /** How long marks wait to be written together, in milliseconds: a crash costs their order, and so a few repeats. */
  saveMarksAfterMs: 500,
  /** Resources that one session may subscribe to. */
  maxSubscriptionsPerSession: 100,
  /** Of one subscription to what another server has: those of which its client has not heard yet. */
  maxChangedResources: 100,
  /** How long a state is accepted, in milliseconds: a person may take days to answer. */
  requestStateTtlMs: 7 * 24 * 60 * 60 * 1000,
  /** Questions that a tool asks together reach the journal one after the other: look again after this time. */
  gatherQuestionsMs: 25,
  /** What another server asks of one client at once. */
  maxPassedRequests: 32,
  /** A client that another server asks for something has left when it makes no request about the task for so long. */
  clientReturnsMs: 60_000,
  /** How long a call that comes back to a server that drains is held, so that its next round trip meets the new one. */
  drainHoldMs: 1_000,
  /** Bytes of a refused body that are still read, so that the connection can be used again; more of them end it. */
  maxDiscardBytes: 16 * 1024 * 1024,
} as const;

/** What bounds the cost of one POST, in either era. */
export const bodyLimits = {
  maxBodyBytes: 4 * 1024 * 1024,
  /** Values of one message, in which keys count as values: each costs far more than its characters once it is parsed. */
  maxJsonValues: 50_000,
  /** Of an `initialize` request, which is kept with its session. */
  maxInitializeBytes: 64 * 1024,
} as const;

/** What bounds the cost of one POST, as numbers. */
export type BodyLimits = { readonly [Name in keyof typeof bodyLimits]: number };

/** Every limit of sessions, with its unit in its name. */
export const sessionLimits = {
  ...bodyLimits,
  /**
   * Sessions that one authenticated subject may have; of local callers without a token all together, as of those whose
   * network is not known. Counted by the store over all processes.
   */
  maxSessionsPerOwner: 10_000,
  /** The same, of the callers without authentication of one address (of IPv6, one network). */
  maxSessionsPerAddress: 1_000,
  /**
   * Those of them that this process has in memory and that nothing was done with; beyond it the oldest ends. All of them end
   * where memory has no place for them: after `idleMs`, and beyond `maxLiveSessions`.
   */
  maxUnusedSessionsPerAddress: 100,
  /** Sessions kept in memory; beyond that the longest idle one goes to the store. */
  maxLiveSessions: 2_000,
  /** Streams of one session that are open at once; those of `maxRequests` requests are not refused for them. */
  maxStreams: 256,
  /** Calls of one session that one process answers at once: `tools/call` and `tasks/result`. */
  maxOpenCalls: 256,
  /** Other requests of one session that one process answers at once. */
  maxRequests: 256,
  /** Finished calls of one session that its process still knows. */
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
  askAgainMs: limits.askAgainMs,
  /** A session without a request for this long is kept only in the store. */
  idleMs: 5 * 60_000,
  /**
   * A session without a request or a stream for this long may end when its owner, who has as many as it may have, opens
   * another one. Sessions in use are written twice in this time.
   */
  makeRoomAfterMs: 30 * 60_000,
  /** A session without a request for this long is forgotten. */
  sessionTtlMs: 7 * 24 * 60 * 60_000,
  sweepEveryMs: 60_000,
  /** How often a process reads what other processes did to a session that it has in memory. */
  checkSessionMs: 5_000,
} as const;

/** Limits of sessions, as numbers. */
export type SessionLimits = { readonly [Name in keyof typeof sessionLimits]: number };

/** Every limit of the 2026 era, with its unit in its name. */
export const limits2026 = {
  /** Subscriptions of one endpoint, or of one connection over stdio, that are open at once. */
  maxSubscriptions: 8_192,
  /** Of one owner. */
  maxSubscriptionsPerOwner: 128,
  /** Tasks that one subscription may name by id, and as many resources; it hears of no others. */
  maxTasksPerSubscription: 256,
  /** How long another server has to take the subscriptions of one request. */
  subscribeMs: 10_000,
  /** How often an idle stream says that it lives. */
  keepAliveMs: 15_000,
  /** After this time the header of a response goes out, whatever its request still waits for. */
  headersAfterMs: 1_000,
  /** How long the end of a draining server waits for the answers of calls that it sends away. */
  drainAnswersMs: 3_000,
} as const;
