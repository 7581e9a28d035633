import { type Engine, isJsonObject, type JsonObject, type Tool } from "@resumable-mcp/core";
import {
  type ControlToolsOffer,
  definedOnly,
  findControlTool,
  findPanelTool,
  listedControlTools,
  metaKeys,
  panelUri,
} from "@resumable-mcp/protocol";
import { declaresClientId, withClientId } from "../call/session-client.js";
import { type ControlTool, offeredTools } from "./control-tools.js";
import type { RegisterToolsOptions } from "./methods.js";

/** The tools of an engine as `tools/list` shows them. */
export interface ListedTools {
  readonly shown: readonly JsonObject[];
  /** Of the control tools also those that are only called. */
  readonly names: ReadonlySet<string>;
}

/** Control tools whose results the panel shows. */
const shownByPanel: readonly string[] = ["get_task", "wait_for_task", "list_session_tasks"];

/**
 * Lists an engine's tools, and the tools that control their tasks.
 *
 * @param forApps the client shows apps, which call tools that the host has to see.
 */
export function listedTools(engine: Engine, offer: ControlToolsOffer, forApps: boolean): ListedTools {
  const controls = offeredTools(offer.listed);
  const listed: readonly string[] = listedControlTools(offer.listed);
  const shownControls = controls.filter(({ name }) => forApps || listed.includes(name));
  const ofControl = (tool: ControlTool): JsonObject => {
    const entry = { ...controlEntry(tool), name: `${offer.prefix}${tool.name}` };
    if (!forApps) return entry;
    const isForModel = offer.listed === "all" || listedControlTools("minimal").includes(tool.name);
    const ui: JsonObject = {
      ...(shownByPanel.includes(tool.name) && { resourceUri: panelUri }),
      ...(!isForModel && { visibility: ["app"] }),
    };
    return Object.keys(ui).length === 0 ? entry : withUi(entry, ui);
  };
  const taken = toolsByName(engine);
  const own = engine.tools.map(toolEntry);
  const names = [...engine.tools, ...controls.map(({ name }) => ({ name: `${offer.prefix}${name}` }))];
  return {
    shown: [
      ...(forApps ? own.map((entry) => withUi(entry, { resourceUri: panelUri })) : own),
      // A tool of that name may have come later, from a server whose list changes.
      ...shownControls.filter(({ name }) => !taken.has(`${offer.prefix}${name}`)).map(ofControl),
    ],
    names: new Set(names.map(({ name }) => name)),
  };
}

const byName = oncePer((tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.name, tool])));

/** The tools of an engine, as they are now. */
export function toolsByName({ tools }: Engine): ReadonlyMap<string, Tool> {
  return byName(tools);
}

/** Tells which names are those of our tools: of the engine, of control, and of the panel. */
export function ownToolNames(
  engine: Engine,
  options: Pick<RegisterToolsOptions<never>, "controlTools" | "prefix" | "panel">,
): (name: string) => boolean {
  const { controlTools: listed = "minimal", panel } = options;
  const hasPanel = panel !== undefined && listed !== "none";
  return (name) => {
    const { prefix = "" } = options;
    const isControl = findControlTool(name, { listed, prefix }) !== undefined;
    return isControl || toolsByName(engine).has(name) || (hasPanel && findPanelTool(name, { prefix }) !== undefined);
  };
}

function withUi(entry: JsonObject, ui: JsonObject): JsonObject {
  return { ...entry, _meta: { ...Object(entry._meta), ui } };
}

const toolEntry = oncePer((tool: Tool): JsonObject => {
  const { name, inputJsonSchema, clientIdArgument, outputJsonSchema, annotations, title, description, icons } = tool;
  if (tool.mirrors !== undefined) return mirroredEntry(tool.mirrors);
  const isOwn = declaresClientId(inputJsonSchema);
  const lists = clientIdArgument === true && !isOwn;
  const _meta = {
    [metaKeys.durable]: "journal",
    [metaKeys.clientId]: isOwn && clientIdArgument !== true ? "data" : "argument",
  };
  const inputSchema = lists ? withClientId(inputJsonSchema) : inputJsonSchema;
  const outputSchema = answerSchema(outputJsonSchema);
  return definedOnly({ name, title, description, inputSchema, outputSchema, annotations, icons, _meta });
});

/** What `_meta` would say of it, the list says of all ({@link readControlTools}); how long a text may be, an error says. */
const controlEntry = oncePer(({ name, title, description, annotations, inputSchema }: ControlTool): JsonObject => {
  const shown = (key: string, value: unknown): unknown => (/^(min|max)Length$/.test(key) ? undefined : value);
  return { name, title, description, inputSchema: JSON.parse(JSON.stringify(inputSchema(), shown)), annotations };
});

/** Makes a value once for each key: what all lists have in common is not made for each of them. */
function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** As the other server lists it, but for what a call may answer, and whether it has to be a task: that is for its own clients. */
function mirroredEntry({ execution: _execution, outputSchema: schema, _meta: own, ...entry }: JsonObject): JsonObject {
  const outputSchema = answerSchema(isJsonObject(schema) ? schema : undefined);
  const _meta: JsonObject = { ...Object(own), [metaKeys.durable]: "journal" };
  return { ...entry, ...(outputSchema !== undefined && { outputSchema }), _meta };
}

/**
 * The schema of all that a call of a resumable tool may answer: its output, or a task under way, or an error.
 *
 * Clients check results against the schema that they listed, also those that say "still running". `undefined` when the
 * tool's output is not an object: only objects can be structured content.
 */
function answerSchema(output: JsonObject | undefined): JsonObject | undefined {
  if (output?.type !== "object") return undefined;
  // The dialect is said at the root of the document, and references lead there: the definitions move with it.
  const { $schema, $defs, definitions, ...own } = output;
  const state = {
    type: "object",
    properties: {
      status: { enum: ["running", "paused", "input_required"] },
      task_id: { type: "string" },
      progress: { type: "number" },
      total: { type: "number" },
      next_tool: { type: "string" },
    },
    required: ["status", "task_id", "next_tool"],
  };
  const failure = { type: "object", properties: { error: { type: "object" } }, required: ["error"] };
  return {
    type: "object",
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    anyOf: [own, state, failure],
  };
}
