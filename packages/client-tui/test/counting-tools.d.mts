import type { Tool } from "@resumable-mcp/core";

declare const tools: readonly Tool[];
// biome-ignore lint/style/noDefaultExport: what a tools module exports is its default.
export default tools;
