// What serves and supervises a connection over stdio: it loads no SDK and no zod.

export { LateCancellations } from "../call/late-cancellations.js";
export { createThrownMask } from "../call/mask-thrown.js";
export { QuestionRelay } from "../call/question-relay.js";
export { ConnectionClient } from "../call/session-client.js";
export { outcomeUnknown } from "../era-2025/session/session-answers.js";
export { type ToolKinds, toolKindsIn } from "../era-2025/session/tool-kinds.js";
export { randomToken } from "../owner/random-token.js";
export { type FirstAnswer, firstAnswer } from "./first-answer.js";
export { readLines } from "./read-lines.js";
export { serveStdioEras } from "./stdio-eras.js";
