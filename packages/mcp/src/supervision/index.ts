export { isTooDeep, tooDeep } from "../json-depth.js";
export { outcomeUnknown } from "../legacy/session/lost-answer.js";
export { toolKind } from "../legacy/session/tool-kinds.js";
export { metaKeys } from "../meta-keys.js";
export { QuestionRelay, questionId } from "../question-relay.js";
export { randomToken } from "../random-token.js";
