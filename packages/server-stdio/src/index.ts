export { type ServeStdioOptions, serveStdio } from "./serve-stdio.js";
