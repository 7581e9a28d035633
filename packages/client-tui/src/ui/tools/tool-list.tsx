import type { ToolInfo } from "@resumable-mcp/client";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, fitText, plainText } from "../../display/plain-text.js";
import { serverLabel } from "../../display/server-label.js";
import { visibleRange } from "../list-cursor.js";
import { useKeyState } from "../use-key-state.js";
import { matchingTools, reduceToolList } from "./tool-list-state.js";

/** The keys of the list of tools. */
export const toolListKeys = ["Enter choose", "↑↓ move", "type to search", "Esc back"];

/** The tools that can be called. */
export function ToolList(props: {
  readonly tools: readonly ToolInfo[] | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly onChoose: (tool: ToolInfo) => void;
  readonly onBack: () => void;
}): ReactNode {
  const { tools, columns, rows, onChoose, onBack } = props;
  const { cursor, search } = useKeyState(
    (state, key) => reduceToolList(state, key, tools ?? []),
    { cursor: 0, search: "" },
    (outcome) => (outcome.type === "back" ? onBack() : onChoose(outcome.tool)),
  );
  if (tools === undefined) return <Text>Asking for the tools…</Text>;
  const shown = matchingTools(tools, search);
  const { from, to } = visibleRange(cursor, shown.length, rows - 2);
  const width = Math.min(32, Math.max(0, ...shown.map(({ name }) => name.length)));
  const several = new Set(tools.map(({ server }) => server)).size > 1;
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(`Which tool? ${plainText(search)}_`, columns)}</Text>
      {shown.length === 0 ? <Text>No tool matches.</Text> : null}
      {shown.slice(from, to).map((tool, index) => (
        <Text key={`${tool.server} ${tool.name}`} inverse={from + index === cursor}>
          {fitText(
            `${from + index === cursor ? "▸" : " "} ${fitText(tool.name, width)}  ${several ? `${fitText(serverLabel(tool.server), 16)}  ` : ""}${plainText(tool.description ?? tool.title ?? "")}`,
            columns,
          )}
        </Text>
      ))}
    </Box>
  );
}
