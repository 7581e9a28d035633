import type { ToolInfo } from "@resumable-mcp/client";
import { type ReactNode, useMemo } from "react";
import { Form } from "./form/form.js";
import { formFields } from "./form/form-field.js";
import type { ScreenProps } from "./screen-props.js";

/** The form for a tool's arguments, with those of the last time. */
export function CallScreen(props: ScreenProps & { readonly tool: ToolInfo }): ReactNode {
  const { tool, client, board, go, columns, rows } = props;
  const fields = useMemo(() => formFields(tool.inputSchema, client.lastArguments(tool.name)), [tool, client]);
  return (
    <Form
      title={`${tool.title ?? tool.name}: ${tool.description ?? ""}`}
      fields={fields}
      columns={columns}
      rows={rows}
      onOutcome={(outcome) => {
        go({ type: "back" });
        if (outcome.type === "back") return;
        board.notice("info", `Calling ${tool.name}…`);
        void board.call(tool.name, outcome.values, tool.server).then((taskId) => {
          if (taskId !== undefined) go({ type: "open", screen: { name: "detail", taskId } });
        });
      }}
    />
  );
}
