import type { ToolInfo } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutStart, fitText, plainText, textWidth, wrapText } from "../../display/plain-text.js";
import { serverLabelAt } from "../../display/server-label.js";
import { toolText } from "../../display/task-status.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, moveCursor, visibleRange, withTyped } from "../keys/key-rules.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { always, type KeyStep, useKeyState } from "../keys/use-key-state.js";
import type { ScreenProps, ScreenSize } from "../navigation.js";
import { Entries } from "../parts/line.js";
import { type Loaded, useLoaded } from "../parts/use-loaded.js";

/** Where the user is in the list of tools, and what they search for. */
export interface ToolListState extends Cursor {
  readonly search: string;
}

/** The tools whose name, server, title or description contains what is searched for. */
export function matchingTools(
  tools: readonly ToolInfo[],
  search: string,
  serverAt: (address: string) => string,
): readonly ToolInfo[] {
  const wanted = search.toLowerCase();
  return tools.filter((tool) =>
    `${tool.name} ${serverAt(tool.server)} ${toolText(tool)}`.toLowerCase().includes(wanted),
  );
}

/** Moves through the tools; typing searches. */
export function reduceToolList(
  state: ToolListState,
  key: KeyPress,
  tools: readonly ToolInfo[],
  serverAt: (address: string) => string,
): KeyStep<ToolListState, { readonly type: "back" } | { readonly type: "choose"; readonly tool: ToolInfo }> {
  if (key.name === "escape")
    return state.search === "" ? { state, outcome: { type: "back" } } : { state: { cursor: 0, search: "" } };
  const search = withTyped(state.search, key);
  if (search !== state.search) return { state: { cursor: 0, search } };
  const shown = matchingTools(tools, state.search, serverAt);
  const cursor = moveCursor(state.cursor, key, shown.length);
  const tool = shown[cursor];
  if (key.name !== "enter" || tool === undefined) return { state: { ...state, cursor } };
  return { state: { ...state, cursor }, outcome: { type: "choose", tool } };
}

/** The keys of the list of tools. */
export const toolListKeys = ["Enter choose", "↑↓ move", "type to search", "Esc back"];

/** Most columns of the names, and of the servers. */
const mostNameColumns = 32;
const mostServerColumns = 16;

/** The tools that can be called. */
export function ToolList(
  props: ScreenSize & {
    readonly tools: Loaded<readonly ToolInfo[]>;
    /** What the server at an address is called. */
    readonly serverAt: (address: string) => string;
    readonly onChoose: (tool: ToolInfo) => void;
    readonly onBack: () => void;
  },
): ReactNode {
  const { serverAt, columns, rows, onChoose, onBack } = props;
  const tools = props.tools.name === "there" ? props.tools.value : [];
  const clicks = useClicks();
  const { cursor, search } = useKeyState(
    (state, key) => reduceToolList(state, clicks.translate(key), tools, serverAt),
    { cursor: 0, search: "" },
    (outcome) => (outcome.type === "back" ? onBack() : onChoose(outcome.tool)),
    always,
  );
  const shown = matchingTools(tools, search, serverAt);
  clicks.drawn({ cursor, indexAt: rowsOfList(1, visibleRange(cursor, shown.length, rows - 1)) });
  const several = new Set(tools.map(({ server }) => server)).size > 1;
  const texts = toolLines(shown, several ? serverAt : undefined, columns);
  return (
    <Box flexDirection="column">
      <Text bold>{`Which tool? ${cutStart(`${plainText(search)}_`, columns - 12)}`}</Text>
      {shown.length === 0 ? <Text>{wrapText(emptyText(props.tools), columns).join("\n")}</Text> : null}
      <Entries {...{ texts, cursor, columns }} rows={rows - 1} wide />
    </Box>
  );
}

/** Names in one column, where there are several servers theirs in another, and what the tools are for. */
function toolLines(
  tools: readonly ToolInfo[],
  serverAt: ((address: string) => string) | undefined,
  columns: number,
): readonly string[] {
  const names = tools.map(({ name }) => plainText(name));
  const width = Math.min(mostNameColumns, Math.floor(columns / 2), Math.max(0, ...names.map(textWidth)));
  const labels = tools.map(({ server }) => serverAt?.(server) ?? "");
  const place = Math.min(mostServerColumns, Math.max(0, ...labels.map(textWidth)));
  return tools.map((tool, index) => {
    const server = serverAt === undefined ? [] : [fitText(labels[index] ?? "", place)];
    return [fitText(names[index] ?? "", width), ...server, toolText(tool)].join("  ");
  });
}

function emptyText(tools: Loaded<readonly ToolInfo[]>): string {
  if (tools.name === "asking") return "Asking for the tools…";
  if (tools.name === "failed") return plainText(tools.problem);
  if (tools.value.length > 0) return "No tool matches. Esc shows all.";
  return "The servers list no tool: 5 in the menu shows their state.";
}

/** The list of tools, without those that steer tasks. */
export function ToolsScreen({ client, state, go, columns, rows }: ScreenProps): ReactNode {
  const tools = useLoaded(async () => (await client.tools()).filter(({ control }) => !control));
  const serverAt = (address: string) => serverLabelAt(address, state.servers);
  const onChoose = (tool: ToolInfo) => go({ type: "replace", screen: { name: "call", tool } });
  return <ToolList {...{ tools, serverAt, columns, rows, onChoose }} onBack={() => go({ type: "back" })} />;
}
