export { isFinal, isJsonObject, type Json, type JsonObject, type TaskStatus } from "@resumable-mcp/core";
export { withDefaults } from "@resumable-mcp/core/internal";
export { type FinalStatus, finalStatuses, unfinishedStatuses } from "@resumable-mcp/core/store";
export {
  type ControlToolFacts,
  type ControlToolMode,
  type ControlToolName,
  type ControlToolsOffer,
  controlToolFacts,
  controlToolModes,
  findControlTool,
  listedControlTools,
  offeredControlTools,
  readControlTools,
} from "./control-tools.js";
export { parseElicitationResult, parseQuestionId, type QuestionAnswer, questionId } from "./elicitation.js";
export { checkInput, type InputOf } from "./input-schema.js";
export { definedOnly, JsonFields } from "./json-fields.js";
export { type RpcId, readRpcId, rpcCodes, rpcErrorResponse, storeFaults } from "./json-rpc.js";
export { parseJson, problemOfJson, tooDeep, toText } from "./json-text.js";
export { isAtLeast, isLogLevel, logLevels } from "./log-levels.js";
export {
  deliveryMethod,
  envelopeKeys,
  internalMetaKeys,
  metaKeys,
  type Repeatable,
  readClientArgument,
  readRepeatable,
  tasksExtension,
} from "./meta-keys.js";
export {
  allOwnersUses,
  appMimeType,
  appsExtension,
  findPanelTool,
  isPanelToolName,
  type PanelToolName,
  panelToolFacts,
  panelUri,
  showsApps,
} from "./panel.js";
export { checkPkce } from "./pkce.js";
export { repeatedParts } from "./standard-headers.js";
export { artifactUri, parseArtifactUri, type TaskArtifact, taskArtifacts } from "./task-artifact.js";
export { decodeJournal, type JournalEvent, type TaskJournal } from "./task-journal.js";
export {
  decodeFailure,
  decodeInterim,
  decodeStats,
  decodeTask,
  decodeTaskPage,
  encodeInterim,
  encodeListedTask,
  encodeTask,
  type InterimResult,
  parseTaskUri,
  type TaskError,
  type TaskFacts,
  type TaskPart,
  type TaskQuestion,
  type TaskRemarks,
  taskUri,
  toPercent,
} from "./task-object.js";
