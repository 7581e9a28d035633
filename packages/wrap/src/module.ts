import { type WrapOptions, wrap } from "./index.js";

// The tools module of `resumable-mcp wrap`, which says in the environment what to wrap. Without that it exports nothing.
const given: WrapOptions | undefined = JSON.parse(process.env.RESUMABLE_MCP_UPSTREAM ?? "null") ?? undefined;
const onNote = (sentence: string) => void process.stderr.write(`${given?.name}: ${sentence}\n`);

// biome-ignore lint/style/noDefaultExport: that is what a tools module is.
export default given && (await wrap({ ...given, onNote }));
