import type { ServerInfo } from "@resumable-mcp/client";
import { Text } from "ink";
import type { ReactNode } from "react";
import { fitText, textWidth } from "../display/plain-text.js";
import { serverLabel } from "../display/server-label.js";
import { serverWord } from "../display/server-word.js";

/** The first line: the program's name and how its servers stand. */
export function Header(props: { readonly servers: readonly ServerInfo[]; readonly columns: number }): ReactNode {
  const { servers, columns } = props;
  return <Text inverse>{fitText(headerText(servers, columns), columns)}</Text>;
}

/** Every server with how it stands where there is room, else how many stand how. */
export function headerText(servers: readonly ServerInfo[], columns: number): string {
  const each = servers.map(({ address, state }) => `${serverLabel(address)} ${serverWord(state)}`);
  const long = ` resumable-mcp · ${each.join(" · ")} `;
  if (textWidth(long) <= columns || servers.length < 2) return long;
  const live = servers.filter(({ state }) => state.name === "connected").length;
  const troubled = servers.find(({ state }) => state.name === "down" || state.name === "waiting");
  const trouble = troubled === undefined ? "" : ` · ${serverLabel(troubled.address)} ${serverWord(troubled.state)}`;
  return ` resumable-mcp · ${live} of ${servers.length} servers live${trouble} `;
}
