import { resolve } from "node:path";
import type { JsonSchemaValidator, Tool } from "@resumable-mcp/core";
import { assignVersion, surveyVersions } from "@resumable-mcp/core/engine";
import type { StoreAdmin, StoreWriting } from "@resumable-mcp/core/store";
import { type CommandResult, wrong } from "./command.js";

/** Counts unfinished tasks by version, and says which ones the tools of a module would refuse. */
export async function versionsCommand(admin: StoreAdmin, toolsPath: string | undefined): Promise<CommandResult> {
  const tools = toolsPath === undefined ? undefined : await loadTools(toolsPath);
  const survey = await surveyVersions(admin.reading, tools && { tools, validateJsonSchema });
  const versions = survey.versions.map(
    ({ tool, version, tasks }) => `${tasks} unfinished  ${tool}  version ${version}`,
  );
  const refused = survey.refused.map(({ taskId, reason }) => `refused  ${taskId}  ${reason}`);
  const summary = tools === undefined ? [] : [`${refused.length} tasks would be refused by ${toolsPath}`];
  const lines = [...(versions.length === 0 ? ["no unfinished task"] : versions), ...refused, ...summary];
  return { json: { store: admin.place, ...survey }, lines, ok: refused.length === 0 };
}

let validator: Promise<JsonSchemaValidator> | undefined;

/** Checks plain JSON Schema as the servers do. Their package is loaded by the first check. */
const validateJsonSchema: JsonSchemaValidator = async (schema, value) => {
  validator ??= import("@resumable-mcp/mcp").then(({ createJsonSchemaValidator }) => createJsonSchemaValidator());
  return (await validator)(schema, value);
};

/** Loads a module as the servers do: in JavaScript or TypeScript. */
async function loadTools(path: string): Promise<readonly Tool[]> {
  const { importModule } = await import("../import-module.js");
  const { default: exported } = await importModule(path, resolve(path)).catch((error: Error) => {
    throw wrong("tools", error.message);
  });
  const tools = hasTools(exported) ? exported.tools : exported;
  if (isTools(tools)) return tools;
  throw wrong("tools", `The default export of ${path} is neither an array of tools nor a server.`);
}

function hasTools(value: unknown): value is { readonly tools: unknown } {
  return typeof value === "object" && value !== null && "tools" in value;
}

function isTools(value: unknown): value is readonly Tool[] {
  return (
    Array.isArray(value) && value.every((tool: unknown) => typeof tool === "object" && tool !== null && "run" in tool)
  );
}

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
