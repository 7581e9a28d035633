export { startExport } from "@resumable-mcp/telemetry/export";
