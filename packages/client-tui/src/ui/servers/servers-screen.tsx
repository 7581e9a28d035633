import type { ServerInfo, ServerTest } from "@resumable-mcp/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { openInBrowser } from "../../command-line/commands/sign-in-on-terminal.js";
import { keysPage, type SignIn } from "../navigation.js";
import { useNow } from "../parts/use-now.js";
import type { ScreenProps } from "../screen-props.js";
import type { SeenServer } from "./server-lines.js";
import { Servers, type ServersOutcome, serversKeys } from "./servers.js";

/** Adds, tests and removes servers, and shows how each stands and what to try. */
export function ServersScreen(props: ScreenProps): ReactNode {
  const { client, state, clock, columns, rows } = props;
  const nowMs = useNow(true, clock);
  const [tests, setTests] = useState<ReadonlyMap<string, ServerTest>>(new Map());
  const since = useSince(state.servers, clock);
  const remember = (test: ServerTest) => setTests((known) => new Map(known).set(test.server, test));
  useEffect(() => {
    for (const { address } of client.servers()) void client.testServer(address).then(remember, () => undefined);
  }, [client]);
  const servers = state.servers.map(
    (info): SeenServer => ({
      info,
      test: tests.get(info.address),
      sinceMs: since.get(info.state) ?? nowMs,
    }),
  );
  return (
    <Servers
      servers={servers}
      columns={columns}
      rows={rows}
      nowMs={nowMs}
      onOutcome={(outcome) => void act(props, outcome, remember).catch((error: unknown) => showError(props, error))}
    />
  );
}

/** When each connection came to stand as it stands: states are replaced and never changed. */
function useSince(servers: readonly ServerInfo[], clock: () => number): ReadonlyMap<ServerInfo["state"], number> {
  const known = useRef<ReadonlyMap<ServerInfo["state"], number>>(new Map());
  known.current = new Map(servers.map(({ state }) => [state, known.current.get(state) ?? clock()]));
  return known.current;
}

function showError({ board }: ScreenProps, error: unknown): void {
  board.notice("error", error instanceof Error ? error.message : String(error));
}

async function act(props: ScreenProps, outcome: ServersOutcome, remember: (test: ServerTest) => void): Promise<void> {
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
      remember(await client.testServer(outcome.address));
      return board.dismiss();
    case "login":
      return signIn(props, outcome.address);
    case "remove":
      return confirmRemoval(props, outcome.address);
  }
}

function confirmRemoval(props: ScreenProps, address: string): void {
  const { client, board, go } = props;
  const action = () => {
    client.removeServer(address).then(
      () => void board.refresh(),
      (error: unknown) => showError(props, error),
    );
  };
  const text = `Remove ${address}, its session and its tokens? Its tasks stay on it.`;
  go({ type: "open", screen: { name: "confirm", text, action } });
}

async function signIn({ client, board, go, copy }: ScreenProps, address: string): Promise<void> {
  const giveUp = new AbortController();
  let screen: SignIn | undefined;
  board.notice("info", `Asking ${address} where to sign in…`);
  try {
    await client.signIn(address, {
      signal: giveUp.signal,
      onPage(url, receive) {
        openInBrowser(url, process.env, process.platform);
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
