/** The SDK of OpenTelemetry, as the servers use it. Loaded when it is needed. */
export { startExport } from "./start-export.js";
