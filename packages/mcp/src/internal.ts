/** What the packages of this repository share. It may change in any version: others import it at their own risk. */
export { endingOf } from "./call/ending.js";
export { createThrownMask } from "./call/mask-thrown.js";
export { bytesSource } from "./http/http-answer.js";
export { ofWebRequest } from "./http/http-request.js";
export { toListener } from "./http/node-listener.js";
export { tasksOfCaller, unknownLocality, userClaims } from "./owner/owner.js";
export { missingScopes, tasksWithin } from "./owner/scopes.js";
