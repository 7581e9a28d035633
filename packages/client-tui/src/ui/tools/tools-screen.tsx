import type { ReactNode } from "react";
import { serverLabelAt } from "../../display/server-label.js";
import { useLoaded } from "../parts/use-loaded.js";
import type { ScreenProps } from "../screen-props.js";
import { ToolList } from "./tool-list.js";

/** The list of tools, without those that steer tasks. */
export function ToolsScreen({ client, state, go, columns, rows }: ScreenProps): ReactNode {
  const tools = useLoaded(async () => (await client.tools()).filter(({ control }) => !control));
  return (
    <ToolList
      tools={tools}
      serverAt={(address) => serverLabelAt(address, state.servers)}
      columns={columns}
      rows={rows}
      onChoose={(tool) => go({ type: "replace", screen: { name: "call", tool } })}
      onBack={() => go({ type: "back" })}
    />
  );
}
