export { type SupervisorLimits, supervisorLimits } from "./limits.js";
export { type ServeStdioOptions, serveStdio } from "./serve-stdio.js";
export { type Supervised, type SuperviseOptions, supervise } from "./supervisor/supervise.js";
