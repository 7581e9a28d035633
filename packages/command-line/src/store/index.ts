export type { Console } from "./command.js";
export { runCommand } from "./run-command.js";
