export { CommandError, cannotStartCode, runCommand, sentenceOf } from "./command-error.js";
export {
  countOf,
  durationOf,
  oneOf,
  parseFlags,
  type QuotaFlags,
  quotaFlags,
  quotaUsage,
  readQuotas,
  readRecoverAfter,
  recoverAfterUsage,
  recoverySentence,
  wholeNumber,
} from "./flags.js";
export { loadServer } from "./load-server.js";
