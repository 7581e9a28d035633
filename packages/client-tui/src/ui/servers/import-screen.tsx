import { serverAddress } from "@resumable-mcp/client";
import { hostNames } from "@resumable-mcp/protocol/hosts";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { environment, takeServer } from "../../command-line/commands/import-servers.js";
import { cutText, plainText, wrapText } from "../../display/plain-text.js";
import { type HostServer, type HostServers, readHostServers } from "../../hosts/read-host-servers.js";
import type { KeyPress } from "../keys/key-press.js";
import { leadMark, moveCursor, visibleRange } from "../keys/list-cursor.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import { type Loaded, useLoaded } from "../parts/use-loaded.js";
import type { ScreenProps } from "../screen-props.js";

/** The keys of the servers that hosts have configured. */
export const importKeys = ["Enter import", "↑↓ move", "Esc back"];

/** Moves through what hosts have configured; the outcome is the one that is wanted, or none. */
export function reduceImport(
  state: { readonly cursor: number },
  key: KeyPress,
  servers: readonly HostServer[],
): KeyStep<{ readonly cursor: number }, { readonly server?: HostServer }> {
  const next = { cursor: moveCursor(state.cursor, key, servers.length) };
  if (key.name === "escape" || key.text === "q") return { state: next, outcome: {} };
  const server = servers[next.cursor];
  return key.name === "enter" && server !== undefined ? { state: next, outcome: { server } } : { state: next };
}

/** The servers that hosts on this machine have configured; Enter takes one over. Nothing of theirs is written. */
export function ImportScreen(props: ScreenProps): ReactNode {
  const { client, board, go, columns, rows } = props;
  const found = useLoaded(() => readHostServers(hostNames, environment()));
  const servers = found.name === "there" ? found.value.servers : [];
  const take = async (server: HostServer) => {
    try {
      const state = await takeServer(client, server);
      board.notice(state === "unusable" ? "error" : "info", `${server.name}: ${server.problem ?? state}`);
      await board.refresh();
    } catch (error) {
      board.notice("error", error instanceof Error ? error.message : String(error));
    }
  };
  const { cursor } = useKeyState(
    (state: { readonly cursor: number }, key) => reduceImport(state, key, servers),
    { cursor: 0 },
    ({ server }) => (server === undefined ? go({ type: "back" }) : void take(server)),
  );
  const remarks = importRemarks(found)
    .flatMap((line) => wrapText(line, columns))
    .slice(0, rows - 2);
  const range = { ...visibleRange(cursor, servers.length, rows - 1 - remarks.length), count: servers.length };
  return (
    <Box flexDirection="column">
      <Text bold>Servers of other programs</Text>
      {servers.slice(range.from, range.to).map((server, offset) => {
        const index = range.from + offset;
        return (
          <Text key={`${server.file} ${server.name}`} inverse={index === cursor}>
            {cutText(`${leadMark(index, cursor, range)} ${hostLine(server)}`, columns)}
          </Text>
        );
      })}
      {remarks.map((line, index) => (
        <Text key={index}>{line}</Text>
      ))}
    </Box>
  );
}

/** What stands below the list: that there is none, and which files were left out of it. */
function importRemarks(found: Loaded<HostServers>): readonly string[] {
  if (found.name === "asking") return ["Looking…"];
  if (found.name === "failed") return [plainText(found.problem)];
  const { servers, problems } = found.value;
  const none =
    servers.length > 0 ? [] : ["No program on this machine has a server configured. Esc goes back; a adds one."];
  return [...none, ...problems.map(({ file, problem }) => plainText(`${file} was skipped: ${problem}.`))];
}

function hostLine({ host, name, config, problem }: HostServer): string {
  const what = config === undefined ? (problem ?? "") : serverAddress(config);
  return `${plainText(`${host}/${name}`)}  ${plainText(what)}`;
}
