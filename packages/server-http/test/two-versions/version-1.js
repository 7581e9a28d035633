import { toolsOf } from "./row-tools.js";

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default toolsOf({
  version: "1",
  state: { at: 0 },
  rowOf: (state) => state.at,
  stateOf: (row) => ({ at: row }),
});
