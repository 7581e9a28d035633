import { toolsOf } from "./row-tools.js";

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default toolsOf({
  version: "2",
  state: { rows: { done: 0 } },
  rowOf: (state) => state.rows.done,
  stateOf: (row) => ({ rows: { done: row } }),
  accepts: ["1"],
  migrate: (state) => ({ rows: { done: state.at } }),
});
