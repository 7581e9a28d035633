// What a server loads after its first answer.
export { createFsStore } from "@resumable-mcp/store-fs";
export { createStdioServer } from "./serve-stdio.js";
