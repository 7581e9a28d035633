import { type WrapOptions, wrap } from "./index.js";

// The tools module of `resumable-mcp wrap`, which says in the environment what to wrap.
const given: WrapOptions = JSON.parse(process.env.RESUMABLE_MCP_UPSTREAM ?? "null");
const onNote = (sentence: string) => void process.stderr.write(`${given.name}: ${sentence}\n`);

// biome-ignore lint/style/noDefaultExport: that is what a tools module is.
export default await wrap({ ...given, onNote });
