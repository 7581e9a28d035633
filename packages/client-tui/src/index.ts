export { runTerminalUi } from "./run-terminal-ui.js";
export type { RunTerminalUiOptions } from "./terminal-ui-options.js";
export type { ExtraAction } from "./ui/extra-action.js";
