import type { ToolInfo } from "@resumable-mcp/client";
import type { KeyPress } from "../keys/key-press.js";
import { moveCursor } from "../keys/list-cursor.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** Where the user is in the list of tools, and what they search for. */
export interface ToolListState {
  readonly cursor: number;
  readonly search: string;
}

/** The tools whose name, server or description contains what is searched for. */
export function matchingTools(
  tools: readonly ToolInfo[],
  search: string,
  serverAt: (address: string) => string,
): readonly ToolInfo[] {
  const wanted = search.toLowerCase();
  return tools.filter(({ name, server, description = "" }) =>
    `${name} ${serverAt(server)} ${description}`.toLowerCase().includes(wanted),
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
  if (key.name === "backspace") return { state: { cursor: 0, search: state.search.slice(0, -1) } };
  const typed = key.paste ?? key.text;
  if (typed !== "") return { state: { cursor: 0, search: state.search + typed } };
  const shown = matchingTools(tools, state.search, serverAt);
  const cursor = moveCursor(state.cursor, key, shown.length);
  const tool = shown[cursor];
  if (key.name !== "enter" || tool === undefined) return { state: { ...state, cursor } };
  return { state: { ...state, cursor }, outcome: { type: "choose", tool } };
}
