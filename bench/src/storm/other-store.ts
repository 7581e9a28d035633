import { type ResolveHook, register } from "node:module";
import { isMainThread } from "node:worker_threads";

// Loaded before a server: the same file is what Node asks, in a thread of its own, where modules are.
if (isMainThread) register(import.meta.url);

/** Finds another store in place of the installed one, which that one alone may import. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const { STORM_REPLACES, STORM_STORE } = process.env;
  const isOwn = STORM_STORE === undefined || context.parentURL?.startsWith(new URL("..", STORM_STORE).href);
  return isOwn || specifier !== STORM_REPLACES ? next(specifier, context) : { url: STORM_STORE, shortCircuit: true };
};
