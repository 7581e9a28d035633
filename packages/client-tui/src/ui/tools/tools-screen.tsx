import type { ReactNode } from "react";
import type { ScreenProps } from "../screen-props.js";
import { useLoaded } from "../use-loaded.js";
import { ToolList } from "./tool-list.js";

/** The list of tools, without those that steer tasks. */
export function ToolsScreen({ client, board, go, columns, rows }: ScreenProps): ReactNode {
  const tools = useLoaded(() => client.tools(), board);
  return (
    <ToolList
      tools={tools?.filter(({ control }) => !control)}
      columns={columns}
      rows={rows}
      onChoose={(tool) => go({ type: "replace", screen: { name: "call", tool } })}
      onBack={() => go({ type: "back" })}
    />
  );
}
