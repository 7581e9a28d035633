export { CommandError, cannotStartCode, errorSentence, runCommand, runToEnd } from "./command-error.js";
export { oneOf, readDuration, readRecovery, recoverySentence, shownName, wholeNumber } from "./flags.js";
export { listen } from "./listen.js";
export { loadDefinition, loadServer, readControlToolMode } from "./load-server.js";
export { every, list, text, ungrouped, type ValuesOf } from "./options/option.js";
export { wordsOf } from "./options/parse-flags.js";
export {
  type HttpValues,
  httpGroups,
  httpOptions,
  type StdioValues,
  stdioGroups,
  stdioOptions,
  wrapGroup,
} from "./options/server-options.js";
export { withSettings } from "./options/settings.js";
export { readOtlp } from "./otlp-flag.js";
export { parseCount, type Quotas, readQuotas, refuseFolderQuotas } from "./quota-flags.js";
export { onStopSignal, type StopSignal } from "./stop-signals.js";
export {
  type DatabasePlace,
  hasPassword,
  hidePassword,
  loadDatabasePackage,
  openWhenReached,
  readStorePlace,
  readStoreWait,
  type StoreWait,
} from "./store-flags.js";
export { handleUncaughtExceptions } from "./uncaught-exceptions.js";
export { readWebhook } from "./webhook/webhook-flags.js";
