/** What the packages of this repository share. It may change in any version: others import it at their own risk. */
export { type Clock, repeat, systemClock } from "./engine/clock.js";
export { splitRules } from "./engine/limit-rules.js";
export { toTaskView } from "./engine/owner/task-view.js";
export { inTime, startTimeLimit } from "./engine/time-limit.js";
export { isForCaller } from "./errors.js";
export { deepFreeze } from "./json.js";
export { recordMemory } from "./json-memory.js";
export { withDefaults } from "./limits.js";
export { BoundedCache, type Cache, noCache } from "./store/bounded-cache.js";
export { refuseEncrypted, sealDocuments } from "./store/sealed-store.js";
export { ownerTag } from "./task/owner-tag.js";
export { isPlainRecord } from "./task/plain-record.js";
export { readRpcCode } from "./task/task-event.js";
export { oppositeKind } from "./task/task-record.js";
export { isScope } from "./tool/check-options.js";
export { editsBetween } from "./tool/known-keys.js";
