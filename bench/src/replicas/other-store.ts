import { type ResolveHook, register } from "node:module";
import { isMainThread } from "node:worker_threads";

// Loaded before a server: the same file is what Node asks, in a thread of its own, where modules are.
if (isMainThread) register(import.meta.url);

/** Finds another build of the store in place of the installed one. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const { STORM_STORE } = process.env;
  if (specifier !== "@resumable-mcp/store-postgres" || STORM_STORE === undefined) return next(specifier, context);
  return { url: STORM_STORE, shortCircuit: true };
};
