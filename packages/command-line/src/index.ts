export { CommandError, cannotStartCode, runCommand, runToEnd, sentenceOf } from "./command-error.js";
export { controlToolsFlag, controlToolsUsage, readControlToolMode, withControlTools } from "./control-tools-flag.js";
export {
  durationOf,
  maskFlags,
  oneOf,
  parseFlags,
  readMaskErrors,
  readRecovery,
  recoveryFlags,
  recoverySentence,
  recoveryUsage,
  wholeNumber,
} from "./flags.js";
export { type ImportedModule, importModule } from "./import-module.js";
export { loadServer } from "./load-server.js";
export { otlpUsage, readOtlp } from "./otlp-flag.js";
export { panelFlag, panelUsage, withPanel } from "./panel-flag.js";
export {
  countOf,
  type Quotas,
  quotaFlags,
  quotaUsage,
  readQuotas,
  refuseFolderQuotas,
} from "./quota-flags.js";
export { onStopSignal, type StopSignal } from "./stop-signals.js";
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
