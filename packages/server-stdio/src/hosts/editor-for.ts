import type { HostFormat } from "@resumable-mcp/protocol/hosts";
import type { ConfigEditor } from "./config-editor.js";
import { jsonEditor } from "./edit-json.js";
import { tomlEditor } from "./edit-toml.js";
import { yamlEditor, yamlListEditor } from "./edit-yaml.js";

const editors: Readonly<Record<HostFormat, ConfigEditor>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
  "yaml-list": yamlListEditor,
};

/** The editor of files of a format. */
export function editorFor(format: HostFormat): ConfigEditor {
  return editors[format];
}
