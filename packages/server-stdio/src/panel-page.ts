// The package as it is installed: the build leaves this file out of the program and imports dist/panel-page.js.
export { panelHtml } from "@resumable-mcp/panel";
