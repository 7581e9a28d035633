import type { KeyPress } from "../keys/key-press.js";
import { moveCursor } from "../keys/list-cursor.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** Where the cursor stands in the list of servers. */
export interface ServersState {
  readonly cursor: number;
}

/** What the user wants with the servers. */
export type ServersOutcome =
  | { readonly type: "back" | "add" | "import" | "keys" }
  | { readonly type: "test" | "remove" | "login"; readonly address: string };

const verbs: ReadonlyMap<string, "test" | "remove" | "login"> = new Map([
  ["t", "test"],
  ["d", "remove"],
  ["l", "login"],
]);

/** Moves through the servers and says what is wanted with them. */
export function reduceServers(
  state: ServersState,
  key: KeyPress,
  addresses: readonly string[],
): KeyStep<ServersState, ServersOutcome> {
  const next = { cursor: moveCursor(state.cursor, key, addresses.length) };
  if (key.name === "escape" || key.text === "q") return { state: next, outcome: { type: "back" } };
  if (key.text === "a") return { state: next, outcome: { type: "add" } };
  if (key.text === "?") return { state: next, outcome: { type: "keys" } };
  if (key.text === "i") return { state: next, outcome: { type: "import" } };
  const address = addresses[next.cursor];
  const verb = key.name === "enter" ? "test" : verbs.get(key.text);
  return address === undefined || verb === undefined
    ? { state: next }
    : { state: next, outcome: { type: verb, address } };
}
