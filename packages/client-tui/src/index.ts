export { type RunTerminalUiOptions, runTerminalUi } from "./run-terminal-ui.js";
export type { ExtraAction } from "./ui/extra-action.js";
