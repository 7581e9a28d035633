/** What a store needs of the core in addition to the entry `.`: the contract, and the rules that every store shares. */
export { canonicalJson, copyJson } from "./json.js";
export type { StoreQuotas } from "./limits.js";
export { storeQuotaDefaults } from "./limits.js";
export { bannedOwner, listBans, putBan, removeBan } from "./store/bans.js";
export type {
  CountedGroup,
  CountQuery,
  DamagedTask,
  DocumentSummary,
  Documents,
  EventPage,
  Instant,
  ItemPage,
  Lease,
  Observer,
  Offers,
  QuotaUse,
  RunnableTask,
  StoredDocument,
  TaskCounts,
  TaskPage,
  TaskQuery,
  WorkerOffers,
} from "./store/store.js";
export { contractVersion } from "./store/store.js";
export type {
  StoreAdmin,
  StoreCheck,
  StoreProblem,
  StoreRepair,
  StoreSizes,
  StoreWriting,
  TaskBeginning,
  TaskDraft,
} from "./store/store-admin.js";
export { storeErrors } from "./store/store-errors.js";
export { checkJournalQuotas, checkStoreQuotas } from "./store/store-quotas.js";
export { childrenOf } from "./task/calls.js";
export { reduceTask } from "./task/reduce-task.js";
export type { Answer, MapProgress, NewTask, Question, TaskEvent, TaskEventBody } from "./task/task-event.js";
export type { FinalStatus, NewSignal, Remembered, Signal, TaskSnapshot, TaskSummary } from "./task/task-record.js";
export { artifactsOf, finalStatuses, openQuestions, summarise, unfinishedStatuses } from "./task/task-record.js";
export {
  dueMs,
  isContinuable,
  isExpired,
  isReusable,
  isRunnable,
  needsNoCaller,
  readStatus,
} from "./task/task-rules.js";
