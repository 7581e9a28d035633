export { openInBrowser } from "./open-in-browser.js";
export { runTerminalUi } from "./run-terminal-ui.js";
export type { ExtraAction } from "./terminal-ui-options.js";
