export { serveStdio } from "./serve-stdio.js";
