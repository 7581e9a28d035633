import type { ToolInfo } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutStart, fitText, plainText, textWidth, wrapText } from "../../display/plain-text.js";
import { leadMark, visibleRange } from "../keys/list-cursor.js";
import { useKeyState } from "../keys/use-key-state.js";
import type { Loaded } from "../parts/use-loaded.js";
import { matchingTools, reduceToolList } from "./tool-list-state.js";

/** The keys of the list of tools. */
export const toolListKeys = ["Enter choose", "↑↓ move", "type to search", "Esc back"];

/** Columns that names take at the most, and those of servers. */
const mostNameColumns = 32;
const mostServerColumns = 16;

/** The tools that can be called. */
export function ToolList(props: {
  readonly tools: Loaded<readonly ToolInfo[]>;
  /** What the server at an address is called. */
  readonly serverAt: (address: string) => string;
  readonly columns: number;
  readonly rows: number;
  readonly onChoose: (tool: ToolInfo) => void;
  readonly onBack: () => void;
}): ReactNode {
  const { serverAt, columns, rows, onChoose, onBack } = props;
  const tools = props.tools.name === "there" ? props.tools.value : [];
  const { cursor, search } = useKeyState(
    (state, key) => reduceToolList(state, key, tools, serverAt),
    { cursor: 0, search: "" },
    (outcome) => (outcome.type === "back" ? onBack() : onChoose(outcome.tool)),
  );
  const shown = matchingTools(tools, search, serverAt);
  const range = { ...visibleRange(cursor, shown.length, rows - 1), count: shown.length };
  const several = new Set(tools.map(({ server }) => server)).size > 1;
  const lines = toolLines(shown, several ? serverAt : undefined, columns);
  return (
    <Box flexDirection="column">
      <Text bold>{`Which tool? ${cutStart(`${plainText(search)}_`, columns - 12)}`}</Text>
      {shown.length > 0
        ? null
        : wrapText(emptyText(props.tools), columns).map((line) => <Text key={line}>{line}</Text>)}
      {shown.slice(range.from, range.to).map((tool, offset) => {
        const index = range.from + offset;
        return (
          <Text key={`${tool.server} ${tool.name}`} inverse={index === cursor}>
            {fitText(`${leadMark(index, cursor, range)} ${lines[index] ?? ""}`, columns)}
          </Text>
        );
      })}
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
  const labels = serverAt === undefined ? [] : tools.map(({ server }) => serverAt(server));
  const place = Math.min(mostServerColumns, Math.max(0, ...labels.map(textWidth)));
  return tools.map(({ title, description }, index) => {
    const server = serverAt === undefined ? [] : [fitText(labels[index] ?? "", place)];
    return [fitText(names[index] ?? "", width), ...server, plainText(description ?? title ?? "")].join("  ");
  });
}

function emptyText(tools: Loaded<readonly ToolInfo[]>): string {
  if (tools.name === "asking") return "Asking for the tools…";
  if (tools.name === "failed") return plainText(tools.problem);
  if (tools.value.length > 0) return "No tool matches. Esc shows all.";
  return "There is no tool to call: 5 in the menu shows how the servers stand.";
}
