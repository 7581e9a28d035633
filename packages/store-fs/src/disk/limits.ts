import { storeQuotaDefaults } from "@resumable-mcp/core/store";

/** Every default of the file store, with its unit in its name. */
export const fsStoreDefaults = {
  ...storeQuotaDefaults,
  /**
   * New tasks are refused while less of the disk is free than `minFreeBytes`, or than `minFreePercent` of the disk where that is
   * less, so that tasks under way can still write.
   */
  minFreeBytes: 1024 * 1024 * 1024,
  minFreePercent: 5,
  /** The same for the files that the file system can still hold, where it has a limit of them. */
  minFreeFilesPercent: 1,
  /** A store measures itself again when what it knows of other processes is older than this. */
  remeasureMs: 60_000,
  /** A journal file that grew beyond this is followed by a new one. */
  rotateBytes: 1024 * 1024,
  /** A journal file of this length is extended by zeros, as much as it is long, and at most so much at a time. */
  extendFromBytes: 8 * 1024,
  maxExtendBytes: 128 * 1024,
  /** Journal files with events that one task may have; beyond that the oldest keep only their items. */
  maxJournalFiles: 12,
  /** How many of the newest finished journal files compaction leaves alone. */
  keepJournalFiles: 4,
  /** One commit, as a line of the journal. */
  maxCommitBytes: 32 * 1024 * 1024,
  /** A page of events or items ends early beyond this many bytes. */
  maxPageBytes: 8 * 1024 * 1024,
  /** Newest events of a task that are kept in memory for its followers. */
  maxTailEvents: 256,
  maxTailBytes: 128 * 1024,
  /** Folded tasks that are kept in memory, in addition to those that run here. */
  maxCachedTasks: 128,
  maxCachedBytes: 16 * 1024 * 1024,
  /** Claims of calls of which is remembered whose they are, so that a new task need not read all that share its folder. */
  maxKnownClaims: 100_000,
  /** Answers of one task that no commit has consumed. */
  maxPendingAnswers: 1000,
  /** The readable document of a task that runs shows each checkpoint after this time, or a later one. */
  documentPauseMs: 500,
  /** Between such documents of two tasks: 32 tasks that run here have had theirs within another half second. */
  documentSpacingMs: 15,
  /** Files of workers of whom nothing was heard for this long are removed when a store is opened. */
  forgetWorkerMs: 7 * 24 * 60 * 60 * 1000,
  /** Documents of which the time of the last put is kept in memory, so that a search for idle ones need not read them. */
  maxKnownDocuments: 100_000,
  /** Documents that a search for idle ones reads before everything else gets its turn. */
  documentsPerTurn: 32,
  /** How often to look for changes of other processes where the file system sends no notice. */
  watchPollMs: 250,
  /** How often, and how many times, to look again while another process is in the middle of a take-over. */
  takeOverPollMs: 10,
  maxTakeOverPolls: 100,
} as const;

/** The limits of one store. */
export type FsStoreLimits = { readonly [Name in keyof typeof fsStoreDefaults]: number };
