// What a program of ten lines needs, so that it installs one package.
export { defineTool } from "@resumable-mcp/core";
export { defineServer } from "@resumable-mcp/mcp/define-server";
export { createFsStore } from "@resumable-mcp/store-fs";
export { type ServeStdioOptions, serveStdio } from "./serve-stdio.js";
