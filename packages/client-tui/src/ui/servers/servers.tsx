import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, wrapText } from "../../display/plain-text.js";
import { visibleRange } from "../list-cursor.js";
import { useKeyState } from "../use-key-state.js";
import { type SeenServer, serverDetails, serverLine } from "./server-lines.js";
import { reduceServers, type ServersOutcome } from "./servers-state.js";

/** The keys of the list of servers. */
export const serversKeys = ["Enter test", "a add", "i import", "d remove", "l sign in", "Esc back"];

/** Title, an empty line, and what is said of the server at the cursor. */
const frameRows = 6;

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
  const { from, to } = visibleRange(cursor, servers.length, rows - frameRows);
  const chosen = servers[cursor];
  const details = chosen === undefined ? ["No servers. a adds one."] : serverDetails(chosen);
  return (
    <Box flexDirection="column">
      <Text bold>Servers</Text>
      {servers.slice(from, to).map((server, index) => (
        <Text key={server.info.address} inverse={from + index === cursor}>
          {cutText(`${from + index === cursor ? "▸" : " "} ${serverLine(server, nowMs)}`, columns)}
        </Text>
      ))}
      <Text> </Text>
      {details
        .flatMap((line) => wrapText(line, columns))
        .map((line) => (
          <Text key={line}>{line}</Text>
        ))}
    </Box>
  );
}
