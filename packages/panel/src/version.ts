/** The version of the panel, which the build fills in. */
declare const RESUMABLE_MCP_VERSION: string;

/** What the panel calls itself towards servers and hosts. */
export const panelName = { name: "resumable-mcp panel", version: RESUMABLE_MCP_VERSION } as const;
