import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { wrapText } from "../../display/plain-text.js";
import { leadMark, visibleRange } from "../keys/list-cursor.js";
import { useKeyState } from "../keys/use-key-state.js";
import { type SeenServer, serverDetails, serverLine } from "./server-lines.js";
import { reduceServers, type ServersOutcome } from "./servers-state.js";

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
  const told = details.flatMap((line) => wrapText(line, columns)).slice(0, rows - 2);
  const gap = rows < roomyRows ? 0 : 1;
  const range = { ...visibleRange(cursor, servers.length, rows - 1 - gap - told.length), count: servers.length };
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
        {told.map((line, index) => (
          <Text key={index}>{line}</Text>
        ))}
      </Box>
    </Box>
  );
}
