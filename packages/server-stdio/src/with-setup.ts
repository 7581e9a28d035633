// The packages as they are installed: the build leaves this file out of the bundle and imports dist/serve-definition.js.
export { serveDefinition } from "./serve-definition.js";
