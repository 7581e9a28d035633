/** Tells whether clients of a version know tasks, as no older ones do. Source: MCP 2025-11-25, Tasks. Pure. */
export function knowsTasks(protocolVersion: unknown): boolean {
  return typeof protocolVersion === "string" && protocolVersion >= "2025-11-25";
}
