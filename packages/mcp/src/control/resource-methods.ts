import { type Engine, isResumableError, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { type ControlToolsOffer, panelUri, parseArtifactUri, parseTaskUri, rpcCodes } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import { readArtifactResource } from "./artifact-resource.js";
import { unfinishedTasksText } from "./control-tools.js";
import type { EraAdapter, Methods, RegisterToolsOptions } from "./methods.js";
import { panelResource, readPanel } from "./panel.js";
import { listTaskResources, readTaskResource, taskTemplates } from "./task-resources.js";

/** The name of the prompt that lists unfinished tasks. */
export const unfinishedPrompt = "unfinished_tasks";

const listedPrompt: JsonObject = {
  name: unfinishedPrompt,
  title: "Unfinished tasks",
  description: "Lists the long-running tasks that are not finished yet, so that they can be resumed or cancelled.",
};

/**
 * Answers for an owner's tasks as resources, for the panel's page and for the prompt, in either era.
 *
 * Source: MCP, Server Features, Resources; MCP Apps 2026-01-26, "Resource Discovery".
 */
export function resourceMethods<Context, EraCall extends Call>(
  engine: Engine,
  offer: ControlToolsOffer,
  { panel, onError }: Pick<RegisterToolsOptions<never>, "panel" | "onError">,
  { call, showsApps, hasOwnPrompt = false }: EraAdapter<Context, EraCall>,
): Methods<Context> {
  const tasksOf = (context: Context): OwnedTasks => call(context).tasks;
  return {
    "resources/list": async (_params, context, next) => {
      const list = await next();
      const page = panel !== undefined && showsApps(context) ? [panelResource] : [];
      return {
        ...list,
        resources: [...page, ...toArray(list.resources), ...(await listedTasks(engine, tasksOf, context))],
      };
    },
    "resources/templates/list": async (_params, _context, next) => {
      const { resourceTemplates, ...list } = await next();
      const own: readonly unknown[] = taskTemplates.map(({ uriTemplate }) => uriTemplate);
      const others = toArray(resourceTemplates).filter(({ uriTemplate }) => !own.includes(uriTemplate));
      return { ...list, resourceTemplates: [...taskTemplates, ...others] };
    },
    "resources/read": async ({ uri }, context, next) => {
      if (typeof uri === "string" && !URL.canParse(uri)) throw notUri(uri);
      if (uri === panelUri && panel !== undefined && showsApps(context)) return readPanel(panel, offer, onError);
      if (typeof uri === "string" && parseArtifactUri(uri) !== undefined)
        return rpcErrors(() => readArtifactResource(tasksOf(context), uri));
      if (typeof uri !== "string" || parseTaskUri(uri) === undefined) return next();
      return rpcErrors(() => readTaskResource(engine, tasksOf(context), uri));
    },
    "prompts/list": async (_params, _context, next) => {
      const list = await next();
      if (hasOwnPrompt) return list;
      const others = toArray(list.prompts).filter(({ name }) => name !== unfinishedPrompt);
      return { ...list, prompts: [listedPrompt, ...others] };
    },
    "prompts/get": async ({ name }, context, next) => {
      if (name !== unfinishedPrompt || hasOwnPrompt) return next();
      const prefix = offer.listed === "none" ? undefined : offer.prefix;
      const text = await rpcErrors(() => unfinishedTasksText(tasksOf(context), prefix));
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };
}

/** Lets only what a client may see be thrown. */
async function rpcErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw asRpcError(error);
  }
}

/** Source: MCP 2025-11-25, Resources, "Error Handling". */
function notUri(uri: string): RpcError {
  return new RpcError(
    rpcCodes.invalidParams,
    `Invalid params: uri: ${JSON.stringify(uri.slice(0, 100))} is not a URI.`,
  );
}

/** The entries of a list. */
export function toArray(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list : [];
}

/** A caller without an owner has no tasks. */
async function listedTasks<Context>(
  engine: Engine,
  tasksOf: (context: Context) => OwnedTasks,
  context: Context,
): Promise<readonly JsonObject[]> {
  try {
    return await listTaskResources(engine, tasksOf(context));
  } catch (error) {
    if (isResumableError(error, "NO_OWNER")) return [];
    throw error;
  }
}
