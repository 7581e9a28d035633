// The packages as they are installed: the build leaves this file out of the bundle and imports dist/serve-definition.js.
export { createFsStore, createStdioServer } from "./serve-definition.js";
