import { JsonFields, type JsonObject } from "@resumable-mcp/protocol";
import { lineText } from "./bounded.js";

/** A tool that the user may run. */
export interface RunnableTool {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly description: string;
  /** Of its arguments, where the tool was asked for by its name. */
  readonly schema?: JsonObject | undefined;
}

/** Reads the answer of `list_tools`. */
export function readTools(answer: JsonObject | undefined): readonly RunnableTool[] {
  return (JsonFields.of(answer)?.list("tools") ?? []).flatMap((entry) => {
    const fields = JsonFields.of(entry);
    const name = fields?.text("name");
    if (fields === undefined || name === undefined) return [];
    const title = lineText(fields.text("title") ?? name);
    return [{ name, title, description: fields.text("description") ?? "", schema: fields.object("input_schema") }];
  });
}
