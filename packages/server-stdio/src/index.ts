export { type ServeStdioOptions, serveStdio } from "./serve-stdio.js";
export { type Supervised, type SuperviseOptions, supervise } from "./supervise.js";
export { type SupervisorLimits, supervisorLimits } from "./supervisor-limits.js";
