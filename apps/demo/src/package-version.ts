/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

/** The version of this package, and of all packages that are released with it. */
export const packageVersion = RESUMABLE_MCP_VERSION;
