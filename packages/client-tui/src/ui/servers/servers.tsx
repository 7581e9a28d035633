import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { wrapText } from "../../display/plain-text.js";
import type { KeyPress } from "../keys/key-press.js";
import { leadMark, moveCursor, visibleRange } from "../keys/list-cursor.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import { type SeenServer, serverDetails, serverLine } from "./server-lines.js";

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

/** The keys of the list of servers. */
export const serversKeys = ["Enter test", "a add", "d remove", "i import", "l sign in", "Esc back"];

/** The mark before a server, and a space. */
const leadColumns = 2;
/** From so many rows on there is an empty line between the servers and what is said of one. */
const roomyRows = 10;

/** The servers with how they stand, and more of the one at the cursor. */
export function Servers(props: {
  readonly servers: readonly SeenServer[];
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly onOutcome: (outcome: ServersOutcome) => void;
}): ReactNode {
  const { servers, columns, rows, nowMs, onOutcome } = props;
  const addresses = servers.map(({ info }) => info.address);
  const state = useKeyState((now, key) => reduceServers(now, key, addresses), { cursor: 0 }, onOutcome);
  const cursor = Math.min(state.cursor, Math.max(0, servers.length - 1));
  const chosen = servers[cursor];
  const details =
    chosen === undefined ? ["No servers. a adds one, i imports those of other programs."] : serverDetails(chosen);
  // The title and the server at the cursor always stand.
  const shown = details.flatMap((line) => wrapText(line, columns)).slice(0, rows - 2);
  const gap = rows < roomyRows ? 0 : 1;
  const range = { ...visibleRange(cursor, servers.length, rows - 1 - gap - shown.length), count: servers.length };
  return (
    <Box flexDirection="column">
      <Text bold>Servers</Text>
      {servers.slice(range.from, range.to).map((server, offset) => {
        const index = range.from + offset;
        return (
          <Text key={server.info.address} inverse={index === cursor}>
            {`${leadMark(index, cursor, range)} ${serverLine(server, nowMs, columns - leadColumns)}`}
          </Text>
        );
      })}
      <Box flexDirection="column" marginTop={gap}>
        {shown.map((line, index) => (
          <Text key={index}>{line}</Text>
        ))}
      </Box>
    </Box>
  );
}
