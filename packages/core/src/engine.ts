/** What programs that drive an engine themselves need in addition to the entry `.`: servers, and what shows tasks. */
export { parseDuration, readDuration } from "./duration.js";
export type {
  FailedAttempt,
  Followed,
  LeftTasks,
  OpenQuestion,
  RecoveryCounts,
  RunAttempt,
  StartedTask,
} from "./engine/engine.js";
export type { LimitRule, LimitRules } from "./engine/limit-rules.js";
export { checkLimitRules, maxUnfinishedFor } from "./engine/limit-rules.js";
export { parseSize } from "./engine/parse-size.js";
export { assignVersion, surveyVersions } from "./engine/scheduling/survey-versions.js";
export type { ServerSurvey } from "./engine/server-survey.js";
export type { AttemptEnd, AttemptFacts, EngineTelemetry } from "./engine/telemetry.js";
export type { EngineLimits } from "./limits.js";
export { engineDefaults } from "./limits.js";
export type { TraceContext } from "./task/task-event.js";
export { parseTraceContext } from "./task/trace-context.js";
