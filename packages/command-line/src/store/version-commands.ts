import type { JsonSchemaValidator, Tool } from "@resumable-mcp/core";
import { assignVersion, surveyVersions } from "@resumable-mcp/core/engine";
import type { StoreAdmin, StoreWriting } from "@resumable-mcp/core/store";
import type { CommandResult } from "./command.js";

/** Counts unfinished tasks by version, and says which ones the tools of a module would refuse. */
export async function versionsCommand(admin: StoreAdmin, toolsPath: string | undefined): Promise<CommandResult> {
  const { tools } = toolsPath === undefined ? {} : await loadTools(toolsPath);
  const survey = await surveyVersions(admin.reading, tools && { tools, validateJsonSchema });
  const versions = survey.versions.map(
    ({ tool, version, tasks }) => `${tasks} unfinished  ${tool}  version ${version}`,
  );
  const refused = survey.refused.map(({ taskId, reason }) => `refused  ${taskId}  ${reason}`);
  const summary = tools === undefined ? [] : [`${refused.length} tasks would be refused by ${toolsPath}`];
  const lines = [...(versions.length === 0 ? ["no unfinished task"] : versions), ...refused, ...summary];
  return { json: { store: admin.place, ...survey }, lines, ok: refused.length === 0 };
}

/** Loaded by this command alone. */
async function loadTools(path: string): Promise<{ readonly tools?: readonly Tool[] }> {
  return (await import("../load-server.js")).loadServer(path);
}

let validator: Promise<JsonSchemaValidator> | undefined;

/** Checks plain JSON Schema as the servers do. Their package is loaded by the first check. */
const validateJsonSchema: JsonSchemaValidator = async (schema, value) => {
  validator ??= import("@resumable-mcp/mcp").then(({ createJsonSchemaValidator }) => createJsonSchemaValidator());
  return (await validator)(schema, value);
};

/** Gives a task to a version of its tool: from its last checkpoint, or from nothing. */
export async function assignCommand(
  writing: StoreWriting,
  taskId: string,
  decision: { readonly toolVersion?: string; readonly fromState: boolean },
): Promise<CommandResult> {
  const { toolVersion } = await assignVersion(writing, taskId, decision);
  const from = decision.fromState ? "from its last checkpoint" : "from nothing";
  const text = `Version ${toolVersion} continues task ${taskId} ${from}, as soon as a process has it.`;
  return { json: { taskId, toolVersion, fromState: decision.fromState }, lines: [text], ok: true };
}
