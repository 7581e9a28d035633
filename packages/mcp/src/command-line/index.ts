export { CommandError, runCommand, sentenceOf } from "./command-error.js";
export { durationOf, readRecoverAfter, recoverAfterUsage, recoverySentence } from "./duration-flag.js";
export { loadServer } from "./load-server.js";
export { oneOf, parseFlags, wholeNumber } from "./parse-flags.js";
export { countOf, type QuotaFlags, quotaFlags, quotaUsage, readQuotas } from "./quota-flags.js";
