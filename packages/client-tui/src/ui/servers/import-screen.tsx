import { serverAddress } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { plainText, wrapText } from "../../display/plain-text.js";
import {
  type HostServer,
  type HostServers,
  hostEnvironment,
  importableHosts,
  readHostServers,
  takeServer,
} from "../../hosts/host-servers.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, isLeaving, moveCursor } from "../keys/key-rules.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import type { ScreenProps } from "../navigation.js";
import { Entries } from "../parts/line.js";
import { type Loaded, useLoaded } from "../parts/use-loaded.js";

/** The keys of the servers that hosts have configured. */
export const importKeys = ["Enter import", "↑↓ move", "Esc back"];

/** Moves through what hosts have configured; the outcome is the server to import, or `back`. */
export function reduceImport(
  state: Cursor,
  key: KeyPress,
  servers: readonly HostServer[],
): KeyStep<Cursor, HostServer | "back"> {
  const next = { cursor: moveCursor(state.cursor, key, servers.length) };
  if (isLeaving(key)) return { state: next, outcome: "back" };
  return { state: next, outcome: key.name === "enter" ? servers[next.cursor] : undefined };
}

/** The servers that hosts on this machine have configured; Enter takes one over. Nothing of theirs is written. */
export function ImportScreen({ client, board, go, columns, rows }: ScreenProps): ReactNode {
  const found = useLoaded(() => readHostServers(importableHosts, hostEnvironment()));
  const servers = found.name === "there" ? found.value.servers : [];
  const take = async (server: HostServer) => {
    const state = await takeServer(client, server);
    board.notice(state === "unusable" ? "error" : "info", `${server.name}: ${server.problem ?? state}`);
    await board.refresh();
  };
  const { cursor } = useKeyState(
    (state, key) => reduceImport(state, key, servers),
    { cursor: 0 },
    (outcome) => (outcome === "back" ? go({ type: "back" }) : void board.attempt(() => take(outcome))),
  );
  const remarks = importRemarks(found)
    .flatMap((line) => wrapText(line, columns))
    .slice(0, rows - 2);
  return (
    <Box flexDirection="column">
      <Text bold>Servers of other programs</Text>
      <Entries texts={servers.map(hostLine)} {...{ cursor, columns }} rows={rows - 1 - remarks.length} />
      <Text>{remarks.join("\n")}</Text>
    </Box>
  );
}

/** What stands below the list: that there is none, and which files were left out of it. */
function importRemarks(found: Loaded<HostServers>): readonly string[] {
  if (found.name === "asking") return ["Looking…"];
  if (found.name === "failed") return [plainText(found.problem)];
  const { servers, problems } = found.value;
  const none =
    servers.length > 0 ? [] : ["No MCP servers found in Claude, Cursor or VS Code. Press Esc, then a to add one."];
  return [...none, ...problems.map(({ file, problem }) => plainText(`${file} was skipped: ${problem}.`))];
}

function hostLine({ host, name, config, problem }: HostServer): string {
  const what = config === undefined ? (problem ?? "") : serverAddress(config);
  return `${plainText(`${host}/${name}`)}  ${plainText(what)}`;
}
