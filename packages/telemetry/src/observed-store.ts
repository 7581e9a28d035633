import { isResumableError, type Store } from "@resumable-mcp/core";
import { attributes, other } from "./conventions.js";
import type { Instruments } from "./instruments.js";

/** The operations that are measured; the other methods of a store begin something, or only ask the process. */
const operations = [
  "open",
  "createTask",
  "getTask",
  "listTasks",
  "listExpired",
  "countTasks",
  "listRunnable",
  "acquireLease",
  "heartbeat",
  "listOffers",
  "releaseLease",
  "commit",
  "readEvents",
  "readItems",
  "putChunk",
  "readChunk",
  "signal",
  "deleteTask",
  "getDocument",
  "putDocument",
  "deleteDocument",
  "listIdleDocuments",
] as const satisfies readonly (keyof Store)[];

/** Gives a store that measures how long its operations take. */
export function observedStore(store: Store, { store: histogram }: Pick<Instruments, "store">): Store {
  const observed: Store = Object.create(store);
  for (const name of operations) {
    const operate: unknown = Reflect.get(store, name);
    if (typeof operate !== "function") continue;
    const succeeded = { [attributes.storeOperation]: name };
    const measured = async (...parameters: unknown[]): Promise<unknown> => {
      const beginMs = performance.now();
      try {
        const result: unknown = await Reflect.apply(operate, store, parameters);
        histogram.record((performance.now() - beginMs) / 1_000, succeeded);
        return result;
      } catch (error) {
        const errorType = isResumableError(error) ? error.code : other;
        histogram.record((performance.now() - beginMs) / 1_000, { ...succeeded, [attributes.errorType]: errorType });
        throw error;
      }
    };
    Object.defineProperty(observed, name, { value: measured });
  }
  for (const name of ["contractVersion", "capabilities"] as const) {
    Object.defineProperty(observed, name, { get: () => store[name] });
  }
  // They are called on the store itself, which may have private members.
  for (const name of ["watch", "close", "checkHealth", "listQuotas"] as const) {
    const method: unknown = Reflect.get(store, name);
    if (typeof method === "function") Object.defineProperty(observed, name, { value: method.bind(store) });
  }
  return observed;
}
