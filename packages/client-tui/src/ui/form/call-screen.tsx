import type { ToolInfo } from "@resumable-mcp/client";
import { type ReactNode, useMemo } from "react";
import { serverLabelAt } from "../../display/server-label.js";
import type { ScreenProps } from "../screen-props.js";
import { Form } from "./form.js";
import type { FormButton, FormOutcome } from "./form-state.js";

const buttons: readonly FormButton[] = [
  { id: "run", label: "Run and watch", sends: true },
  { id: "detach", label: "Run in background", sends: true },
];

/** The form for a tool's arguments, with those of the last time. */
export function CallScreen(props: ScreenProps & { readonly tool: ToolInfo }): ReactNode {
  const { tool, client, state, columns, rows } = props;
  const shape = useMemo(() => ({ schema: tool.inputSchema, buttons }), [tool]);
  const before = useMemo(() => client.lastArguments(tool.name), [tool, client]);
  return (
    <Form
      title={[
        `${tool.title ?? tool.name} at ${serverLabelAt(tool.server, state.servers)}`,
        ...(tool.description === undefined ? [] : [tool.description]),
      ].join(": ")}
      shape={shape}
      before={before}
      columns={columns}
      rows={rows}
      onOutcome={(outcome) => callTool(props, outcome)}
    />
  );
}

function callTool({ tool, board, go }: ScreenProps & { readonly tool: ToolInfo }, outcome: FormOutcome): void {
  go({ type: "back" });
  if (outcome.type === "back") return;
  const detached = outcome.button === "detach";
  board.notice("info", `Calling ${tool.name}…`);
  void board.call(tool.name, outcome.values, { server: tool.server, detached }).then((taskId) => {
    if (taskId === undefined) return;
    board.dismiss();
    if (detached) board.notice("info", `${tool.name} runs in the background: 2 in the menu lists it.`);
    else go({ type: "open", screen: { name: "detail", taskId } });
  });
}
