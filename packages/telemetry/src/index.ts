/** Spans and metrics through the API of OpenTelemetry alone: nothing is recorded until a program registers an SDK. */
export { createEngineTelemetry } from "./engine-telemetry.js";
export {
  endOfCode,
  endOfResult,
  noteTask,
  sendRequest,
  serveRequest,
  traceCall,
} from "./request.js";
export { activeTrace, inThisTrace, isTracing } from "./span-context.js";
