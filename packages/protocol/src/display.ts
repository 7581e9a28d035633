export {
  endingText,
  type HistoryLine,
  type LogLine,
  momentText,
  readHistory,
  type TaskHistory,
  type TaskMoment,
  wasCutOff,
  wholeLog,
} from "./display/history.js";
export { formatDuration, formatRate, type ProgressNumbers, progressNumbers } from "./display/numbers.js";
export { addSample, type Pace, perSecondOf, remainingMsOf } from "./display/pace.js";
export {
  harmlessJson,
  harmlessLines,
  harmlessText,
  hasControls,
  plainText,
} from "./display/plain-text.js";
export {
  type Away,
  canDo,
  elapsedMsOf,
  isAway,
  isMoving,
  isUnfinished,
  type ShownTask,
  stillRequested,
  type TaskVerb,
  wasInterrupted,
} from "./display/shown-task.js";
export { type ShownStatus, shownStatus, statusMark, statusWord, taskName } from "./display/status-words.js";
