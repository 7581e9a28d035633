export { runTerminalUi } from "./run-terminal-ui.js";
export type { ExtraAction } from "./ui/screen-props.js";
export type { RunTerminalUiOptions } from "./ui-session.js";
