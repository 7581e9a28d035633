import type { ServerInfo } from "@resumable-mcp/client";
import { Text } from "ink";
import type { ReactNode } from "react";
import { fitText, textWidth } from "../../display/plain-text.js";
import { serverLabel, serverWord } from "../../display/server-label.js";

/** The first line: the program's name and how its servers stand. */
export function Header(props: { readonly servers: readonly ServerInfo[]; readonly columns: number }): ReactNode {
  const { servers, columns } = props;
  return <Text inverse>{fitText(headerText(servers, columns), columns)}</Text>;
}

/** Every server with how it stands where there is room, else how many stand how; the program's name gives way first. */
export function headerText(servers: readonly ServerInfo[], columns: number): string {
  const each = servers.map(standing).join(" · ");
  const all = ` resumable-mcp · ${each === "" ? "no servers" : each}`;
  if (textWidth(all) <= columns) return all;
  const short = servers.length < 2 ? each : summary(servers);
  const named = ` resumable-mcp · ${short}`;
  return textWidth(named) <= columns ? named : ` ${short}`;
}

function standing(server: ServerInfo): string {
  return `${serverLabel(server)} ${serverWord(server.state)}`;
}

function summary(servers: readonly ServerInfo[]): string {
  const live = servers.filter(({ state }) => state.name === "connected").length;
  const troubled = servers.find(({ state }) => state.name === "down" || state.name === "waiting");
  const trouble = troubled === undefined ? "" : ` · ${standing(troubled)}`;
  return `${live} of ${servers.length} servers live${trouble}`;
}
