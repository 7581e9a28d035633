import { type ResolveHook, register } from "node:module";
import { isMainThread } from "node:worker_threads";

// Loaded before a server: the same file is what Node asks, in a thread of its own, where modules are.
if (isMainThread) register(import.meta.url);

const store = new URL("folder-store.js", import.meta.url).href;
const own = new URL("..", import.meta.url).href;

/** Finds the storm's store in place of the installed one, which that one alone may import. */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier !== "@resumable-mcp/store-fs" || context.parentURL?.startsWith(own)
    ? next(specifier, context)
    : { url: store, shortCircuit: true };
