/** Every limit of a wrapped server, with its unit in its name. */
export const wrapLimits = {
  /** How long a server has to answer `initialize` and to list its tools; the first time, since its program may be downloaded then. */
  startMs: 30_000,
  firstStartMs: 5 * 60_000,
  /** How long a server has to say that it is of the 2026 era, before it is also asked in the way of the 2025 era. */
  discoverMs: 5_000,
  /** How long the start of a gateway waits for the list of tools, and a list of several servers for one of them. */
  firstListMs: 10_000,
  /** How long a call waits for a server that is away. */
  waitMs: 60_000,
  /** How long a server over HTTP has to take a connection. */
  connectMs: 10_000,
  /** Before a server that ended is started again; doubled for every start that fails. */
  restartDelayMs: 200,
  maxRestartDelayMs: 10_000,
  /** A server of one owner that was asked nothing for so long is stopped. */
  idleMs: 10 * 60_000,
  /** Servers that run at once, where each owner has its own. */
  maxServers: 32,
  /** Calls whose era is known, and whose tasks have not run here. */
  maxStarting: 1_024,
  /** Requests that one server has open at once, such as questions and pings. */
  maxAsked: 1_024,
  /** Resources that one server is subscribed to for its callers. */
  maxSubscribed: 1_024,
  /** URLs that one call has sent its user to, and whose end its client may hear of. */
  maxOpening: 64,
  /** Of one message. */
  maxLineBytes: 64 * 1024 * 1024,
  /** Of a list, of which the rest is left out. */
  maxListPages: 100,
  /** How long what several servers listed is known, where they tell of no change; of how many owners and kinds; how many entries. */
  knownListMs: 60_000,
  maxKnownLists: 256,
  maxKnownEntries: 10_000,
  /** A call is made again only so long after it was made first. */
  repeatWithinMs: 60 * 60_000,
  /** Servers that a call may lose one after the other without a checkpoint. */
  maxLosses: 3,
  /** Requests of one call, each of which its server answered with where it stands in place of a result. */
  maxRoundTrips: 10_000,
  /** Between two looks at a task that a server made of a call, where it does not say; what it says counts between the others. */
  pollMs: 1_000,
  minPollMs: 10,
  maxPollMs: 30_000,
  /** Of what a call answers. */
  maxOutputBytes: 32 * 1024 * 1024,
  /** Of the state of a checkpoint, or of a request that has to be made again, in characters. */
  maxCheckpointLength: 1024 * 1024,
  /** Of all that a call appends, as JSON: what waits for the store included. */
  maxAppendedBytes: 32 * 1024 * 1024,
  /** Reports of a call that wait for the store one by one; after that, newer ones take the place of the last. */
  maxWaitingReports: 16,
  /** Of a log message, in characters: the rest is cut. */
  maxLogLength: 8_000,
  /** How long a server has to end after its input was closed, and again after SIGTERM. */
  stopMs: 2_000,
} as const;
