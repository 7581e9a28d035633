export { isFinal, isJsonObject, type Json, type JsonObject, type LogLevel, type TaskStatus } from "@resumable-mcp/core";
export { type FinalStatus, finalStatuses, unfinishedStatuses } from "@resumable-mcp/core/store";
export {
  type ControlInput,
  type ControlToolFacts,
  type ControlToolName,
  checkControlInput,
  controlInputs,
  controlPrefix,
  controlToolFacts,
  isControlToolName,
  maxWaitSeconds,
} from "./control-tools.js";
export { parseElicitationResult, type QuestionAnswer } from "./elicitation.js";
export { isTooDeep, mayBeTooDeep, tooDeep } from "./json-depth.js";
export { definedOnly, JsonFields } from "./json-fields.js";
export { type RpcErrorResponse, type RpcId, rpcCodes, rpcErrorResponse, rpcIdOf } from "./json-rpc.js";
export { type Repeatable, repeatableOf, takesClientId } from "./listed-tool.js";
export { isAtLeast, isLogLevel, logLevels } from "./log-levels.js";
export { deliveryMethod, envelopeKeys, internalMetaKeys, metaKeys, tasksExtension } from "./meta-keys.js";
export { parseQuestionId, questionId } from "./question-id.js";
export {
  decodeFailure,
  decodeInterim,
  decodeTask,
  encodeInterim,
  encodeListedTask,
  encodeQuestions,
  encodeTask,
  type InterimResult,
  percentOf,
  type TaskError,
  type TaskFacts,
  type TaskQuestion,
} from "./task-object.js";
export { parseTaskUri, type TaskPart, taskUri } from "./task-uri.js";
