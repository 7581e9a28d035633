export {
  type ActivityCounts,
  activityKinds,
  activityText,
  countActivity,
  inRange,
  type ListRange,
  listRanges,
  rangeEndMs,
  rangeTexts,
} from "./display/activity.js";
export {
  endingText,
  type HistoryLine,
  isShownAt,
  type LogLine,
  momentText,
  readHistory,
  type ShownLevel,
  shownLevel,
  shownLevels,
  type TaskMoment,
  wasCutOff,
} from "./display/history.js";
export { formatDuration, type ProgressNumbers, progressNumbers } from "./display/numbers.js";
export { addSample, type Pace } from "./display/pace.js";
export {
  harmlessJson,
  harmlessLines,
  harmlessText,
  hasControls,
  plainText,
} from "./display/plain-text.js";
export { type SchemaOption, schemaOptions } from "./display/schema-options.js";
export {
  type Away,
  canDo,
  isAway,
  isMoving,
  isUnfinished,
  stillRequested,
  type TaskVerb,
  wasInterrupted,
} from "./display/shown-task.js";
export {
  answerReceivedText,
  continuationTexts,
  momentUtc,
  type ShownStatus,
  shownStatus,
  slotWaitText,
  statusMark,
  statusWord,
  taskName,
  toolTitle,
} from "./display/status-words.js";
export { formatStepTime, type StepLine, stepText } from "./display/steps.js";
export { compareTexts, inOrder, type PacedTask, taskOrders, taskPace, taskTimes } from "./display/task-times.js";
