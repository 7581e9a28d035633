export { openAdmin } from "./open-admin.js";
export { runCommand } from "./run-command.js";
