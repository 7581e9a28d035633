import { type Engine, isFinal, type Json, type JsonObject } from "@resumable-mcp/core";
import {
  checkInput,
  definedOnly,
  type InputOf,
  isPanelToolName,
  metaKeys,
  type PanelToolName,
  panelToolFacts,
} from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { type ClientArgument, splitClientId } from "../call/session-client.js";
import { dataResult, errorResult, type ToolResult, taskObject } from "../call/tool-result.js";
import type { PanelServer } from "../define-server.js";
import { type OperatorScopes, operatorReach } from "../owner/operator.js";
import { missingScopes } from "../owner/scopes.js";
import { answerTask, InvalidArguments } from "./control-tools.js";
import { serverInfo } from "./server-info.js";
import { readJournal } from "./task-resources.js";

/** What the panel's tools say of the server. */
export interface PanelFacts {
  readonly server?: PanelServer | undefined;
}

type ToolFacts = typeof panelToolFacts;

/** What the tool is asked, by whom. */
type Run<Name extends PanelToolName> = (
  call: Call,
  input: InputOf<ToolFacts[Name]["input"]>,
  facts: PanelFacts & OperatorScopes,
) => Promise<ToolResult>;

const findTask: Run<"find_task"> = async (call, { tool, arguments: given }) => {
  const { rest } = argumentsOf(call.engine, tool, given);
  const view = await call.tasks.find({ tool, input: rest });
  return dataResult(view === undefined ? { task_id: null } : taskObject(call, view));
};

const getTaskJournal: Run<"get_task_journal"> = async ({ tasks }, { task_id, after, limit }) => {
  const view = await tasks.get(task_id);
  const { events, next } = await readJournal(tasks, view, { after, limit });
  const { lastSeq: last_seq, input } = view.record;
  return dataResult(definedOnly({ task_id, last_seq, arguments: input, first_seq: events[0]?.seq, next, events }));
};

const getServerInfo: Run<"get_server_info"> = async ({ engine, rights, clientId }, _input, facts) => {
  const { operatorScope: scope, server } = facts;
  if (operatorReach(rights, undefined, facts) !== "own") {
    const all_owners = operatorReach(rights, clientId, facts);
    return dataResult({ ...(await serverInfo(engine, server)), all_owners });
  }
  const needed = scope === undefined ? "it is not set: see operatorScope" : `the token needs the scope ${scope}`;
  return errorResult(
    "FORBIDDEN",
    `Only operators see the server: the user of its own machine, or who has the operator's scope (${needed}).`,
  );
};

/** It is listed for apps alone, which hosts show to the user: that no model calls it is a matter of the host. */
const answerQuestion: Run<"answer_question"> = async (call, input) => answerTask(call, input, { byUser: true });

const listTools: Run<"list_tools"> = async ({ engine, rights }, { tool }) => {
  const open = engine.tools.filter((each) => missingScopes(each, rights).length === 0);
  const tools = open
    .filter(({ name }) => tool === undefined || name === tool)
    .map(({ name, title, description, inputJsonSchema }) =>
      definedOnly({ name, title, description, input_schema: tool === undefined ? undefined : inputJsonSchema }),
    );
  return dataResult({ tools });
};

/** The new task joins no other of the same call. */
async function startNew(call: Call, tool: string, input: Json): Promise<ToolResult> {
  const request = { tool, input, newTask: true, detached: true, session: call.sessionId };
  return dataResult(taskObject(call, await call.tasks.start(request)));
}

const runTool: Run<"run_tool"> = (call, { tool, arguments: given }) =>
  startNew(call, tool, argumentsOf(call.engine, tool, given).rest);

const restartTask: Run<"restart_task"> = async (call, { task_id, arguments: given }) => {
  const { record, status } = await call.tasks.get(task_id);
  if (!isFinal(status)) {
    return errorResult(
      "ILLEGAL_TRANSITION",
      `Task ${task_id} is ${status}. Only a finished task is restarted: cancel it first.`,
    );
  }
  return startNew(call, record.tool, given ?? record.input);
};

const runs: { readonly [Name in PanelToolName]: Run<Name> } = {
  find_task: findTask,
  list_tools: listTools,
  run_tool: runTool,
  get_task_journal: getTaskJournal,
  answer_question: answerQuestion,
  restart_task: restartTask,
  get_server_info: getServerInfo,
};

/** Runs a tool of the panel. @throws {@link InvalidArguments} and what the engine throws. */
export async function runPanelTool<Name extends PanelToolName>(
  name: Name,
  call: Call,
  value: JsonObject,
  facts: PanelFacts & OperatorScopes,
): Promise<ToolResult> {
  const checked = checkInput<ToolFacts[Name]["input"]>(panelToolFacts[name].input, value);
  if ("input" in checked) return runs[name](call, checked.input, facts);
  throw new InvalidArguments(`The arguments do not fit: ${checked.problems.join("; ")}.`);
}

/** Who calls a tool of the panel: as a call of the tool itself says it, where one is to be found. */
export function readCaller(engine: Engine, name: PanelToolName, input: JsonObject): ClientArgument {
  const { rest, ...own } = splitClientId(input);
  if (own.clientId !== undefined || name !== "find_task" || typeof rest.tool !== "string") return own;
  return argumentsOf(engine, rest.tool, Object(rest.arguments));
}

function argumentsOf(engine: Engine, tool: string, given: JsonObject): ReturnType<typeof splitClientId> {
  return splitClientId(
    given,
    engine.tools.find(({ name }) => name === tool),
  );
}

/** How the panel's tools are listed, made once for all sessions: `tools/list` gives it as it is. */
export const listedPanelTools: readonly (JsonObject & { readonly name: PanelToolName })[] = names().map((name) => {
  const { input, ...facts } = panelToolFacts[name];
  // Only apps call it, and a call of one that only reads may be sent again.
  const { readOnlyHint }: JsonObject = facts.annotations;
  const repeats: JsonObject = readOnlyHint === true ? { [metaKeys.durable]: "journal" } : {};
  return {
    name,
    ...facts,
    inputSchema: input,
    _meta: { [metaKeys.clientId]: "argument", ...repeats, ui: { visibility: ["app"] } },
  };
});

function names(): readonly PanelToolName[] {
  return Object.keys(panelToolFacts).filter(isPanelToolName);
}
