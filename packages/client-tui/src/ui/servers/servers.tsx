import type { ServerTest } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import { type ReactNode, useEffect, useState } from "react";
import { wrapText } from "../../display/plain-text.js";
import { openInBrowser } from "../../open-in-browser.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, isLeaving, meaning, moveCursor, visibleRange } from "../keys/key-rules.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import { keysPage, type ScreenProps, type ScreenSize, type SignIn } from "../navigation.js";
import { Entries } from "../parts/line.js";
import { useNow, useSince } from "../parts/use-now.js";
import { type SeenServer, serverDetails, serverLine } from "./server-lines.js";

/** What the user asks for: something with the server at the cursor, or with none. */
export type ServersOutcome =
  | { readonly type: "back" | "add" | "import" | "keys" }
  | { readonly type: "test" | "remove" | "login"; readonly address: string };

const general = { a: "add", i: "import", "?": "keys" } as const;
const verbs = { t: "test", d: "remove", l: "login" } as const;

/** Moves through the servers, whose ids are their addresses, and says what is wanted with them. */
export function reduceServers(state: Cursor, key: KeyPress, ids: readonly string[]): KeyStep<Cursor, ServersOutcome> {
  const next = { cursor: moveCursor(state.cursor, key, ids.length) };
  if (isLeaving(key)) return { state: next, outcome: { type: "back" } };
  const anywhere = meaning(general, key.text);
  if (anywhere !== undefined) return { state: next, outcome: { type: anywhere } };
  const address = ids[next.cursor];
  const type = key.name === "enter" ? "test" : meaning(verbs, key.text);
  return { state: next, outcome: address === undefined || type === undefined ? undefined : { type, address } };
}

/** The keys of the list of servers. */
export const serversKeys = ["Enter test", "a add", "d remove", "i import", "l sign in", "Esc back"];

/** The mark before a server, and a space. */
const leadColumns = 2;
/** From so many rows on there is an empty line between the servers and what is said of one. */
const roomyRows = 10;

/** The servers with how they stand, and more of the one at the cursor. */
export function Servers(
  props: ScreenSize & {
    readonly servers: readonly SeenServer[];
    readonly nowMs: number;
    readonly onOutcome: (outcome: ServersOutcome) => void;
  },
): ReactNode {
  const { servers, columns, rows, nowMs, onOutcome } = props;
  const addresses = servers.map(({ info }) => info.address);
  const clicks = useClicks();
  const state = useKeyState(
    (now, key) => reduceServers(now, clicks.translate(key), addresses),
    { cursor: 0 },
    onOutcome,
  );
  const cursor = Math.min(state.cursor, Math.max(0, servers.length - 1));
  const chosen = servers[cursor];
  const details =
    chosen === undefined ? ["No servers. a adds one, i imports those of other programs."] : serverDetails(chosen);
  // The title and the server at the cursor always stand.
  const shown = details.flatMap((line) => wrapText(line, columns)).slice(0, rows - 2);
  const gap = rows < roomyRows ? 0 : 1;
  const room = rows - 1 - gap - shown.length;
  clicks.drawn({ cursor, indexAt: rowsOfList(1, visibleRange(cursor, servers.length, room)) });
  const texts = servers.map((server) => serverLine(server, nowMs, columns - leadColumns));
  return (
    <Box flexDirection="column">
      <Text bold>Servers</Text>
      <Entries {...{ texts, cursor, columns }} rows={room} />
      <Box marginTop={gap}>
        <Text>{shown.join("\n")}</Text>
      </Box>
    </Box>
  );
}

/** Adds, tests and removes servers, and shows how each stands and what to try. */
export function ServersScreen(props: ScreenProps): ReactNode {
  const { client, board, state, clock, columns, rows } = props;
  const nowMs = useNow(true, clock);
  const [tests, setTests] = useState<ReadonlyMap<string, ServerTest>>(new Map());
  const since = useSince(state.servers, clock);
  const test = async (address: string) => {
    const answer = await client.testServer(address);
    setTests((known) => new Map(known).set(address, answer));
  };
  useEffect(() => {
    for (const { address } of client.servers()) test(address).catch(() => undefined);
  }, [client]);
  const servers = state.servers.map(
    (info): SeenServer => ({ info, test: tests.get(info.address), sinceMs: since.get(info.state) ?? nowMs }),
  );
  const onOutcome = (outcome: ServersOutcome) => void board.attempt(() => act(props, outcome, test));
  return <Servers {...{ servers, columns, rows, nowMs, onOutcome }} />;
}

async function act(props: ScreenProps, outcome: ServersOutcome, test: (address: string) => Promise<void>) {
  const { client, board, go } = props;
  switch (outcome.type) {
    case "back":
      return go({ type: "back" });
    case "add":
      return go({ type: "open", screen: { name: "add_server" } });
    case "import":
      return go({ type: "open", screen: { name: "import_servers" } });
    case "keys":
      return go({ type: "open", screen: keysPage(serversKeys) });
    case "test":
      board.notice("info", `Testing ${outcome.address}…`);
      await test(outcome.address);
      return board.dismiss();
    case "login":
      return signIn(props, outcome.address);
    case "remove": {
      const { address } = outcome;
      const remove = () => client.removeServer(address).then(() => void board.refresh());
      const text = `Remove ${address}, its session and its tokens? Its tasks stay on it.`;
      return go({ type: "open", screen: { name: "confirm", text, action: () => void board.attempt(remove) } });
    }
  }
}

async function signIn({ client, board, go, copy }: ScreenProps, address: string): Promise<void> {
  const giveUp = new AbortController();
  let screen: SignIn | undefined;
  board.notice("info", `Asking ${address} where to sign in…`);
  try {
    await client.signIn(address, {
      signal: giveUp.signal,
      onPage(url, receive) {
        openInBrowser(url);
        copy(url);
        board.dismiss();
        screen = { name: "sign_in", address, url, receive, cancel: () => giveUp.abort() };
        go({ type: "open", screen });
      },
    });
    board.notice("info", `Signed in to ${address}.`);
    await board.refresh();
  } catch (error) {
    if (!giveUp.signal.aborted) throw error;
    board.notice("info", `Not signed in to ${address}: l begins again.`);
  } finally {
    if (screen !== undefined) go({ type: "close", screen });
  }
}
