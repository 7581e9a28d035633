import type { HostFormat } from "@resumable-mcp/protocol/hosts";
import type { ConfigEditor } from "./config-editor.js";
import { jsonEditor } from "./edit-json.js";
import { tomlEditor } from "./edit-toml.js";
import { yamlEditor } from "./edit-yaml.js";

/** The formats of files that this program changes: an entry of a list has no place that is safe for everything around it. */
export type EditedFormat = Exclude<HostFormat, "yaml-list">;

const editors: Readonly<Record<EditedFormat, ConfigEditor>> = { json: jsonEditor, toml: tomlEditor, yaml: yamlEditor };

/** The editor of files of a format. */
export function editorFor(format: EditedFormat): ConfigEditor {
  return editors[format];
}
