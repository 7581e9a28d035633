export { CommandError, cannotStartCode, runCommand, sentenceOf } from "./command-error.js";
export {
  countOf,
  durationOf,
  maskFlags,
  oneOf,
  parseFlags,
  type Quotas,
  quotaFlags,
  quotaUsage,
  readMaskErrors,
  readQuotas,
  readRecovery,
  recoveryFlags,
  recoverySentence,
  recoveryUsage,
  wholeNumber,
} from "./flags.js";
export { type ImportedModule, importModule } from "./import-module.js";
export { loadServer } from "./load-server.js";
export { otlpUsage, readOtlp } from "./otlp-flag.js";
export {
  type DatabasePlace,
  type FolderPlace,
  hasPassword,
  hidePassword,
  loadDatabasePackage,
  openWhenReached,
  readStorePlace,
  readStoreWait,
  type StoreWait,
  storeFlags,
  storeUsage,
  storeWaitUsage,
} from "./store-flags.js";
export { handleUncaughtExceptions } from "./uncaught-exceptions.js";
