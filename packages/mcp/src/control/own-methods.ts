import { type Engine, isJsonObject, isResumableError, type JsonObject } from "@resumable-mcp/core";
import {
  type ControlToolsOffer,
  findControlTool,
  findPanelTool,
  metaKeys,
  rpcCodes,
  toText,
} from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { bringValidator } from "../call/json-schema-validator.js";
import { RpcError } from "../call/rpc-error.js";
import { type ClientArgument, splitClientId } from "../call/session-client.js";
import { errorResult, type ToolResult, thrownResult } from "../call/tool-result.js";
import { findUpstream } from "../define-server.js";
import { forAllOwners } from "./all-owners.js";
import { type ControlTool, InvalidArguments, offeredTools } from "./control-tools.js";
import type { EraAdapter, Method, Methods, RegisterToolsOptions } from "./methods.js";
import { listedPanelTools, readCaller, runPanelTool } from "./panel-tools.js";
import { resourceMethods, toArray } from "./resource-methods.js";
import { listedTools, toolsByName } from "./tool-list.js";

/**
 * What an engine's tools, the tools that control their tasks, the panel, resources and the prompt answer, in either era.
 *
 * The panel is there for clients that show apps alone. Source: MCP Apps 2026-01-26, "Visibility".
 */
export function ownMethods<Context, EraCall extends Call>(
  engine: Engine,
  options: RegisterToolsOptions<never>,
  adapter: EraAdapter<Context, EraCall>,
): Methods<Context> {
  bringValidator(engine);
  const { controlTools: listed = "minimal", onError } = options;
  const offer: ControlToolsOffer = {
    listed,
    get prefix() {
      return options.prefix ?? "";
    },
  };
  const panel = listed === "none" ? undefined : options.panel;
  const showsApps = (context: Context): boolean => panel !== undefined && adapter.showsApps(context);
  return {
    "tools/list": async (_params, context, next) => {
      const forApps = showsApps(context);
      const { shown, names } = listedTools(engine, offer, forApps);
      const { tools, _meta, ...list } = await next();
      const others = toArray(tools).filter(({ name }) => !names.has(String(name)));
      const panelTools = listedPanelTools.map((tool) => ({ ...tool, name: `${offer.prefix}${tool.name}` }));
      const ofPanel = forApps ? panelTools.filter(({ name }) => !adapter.hasOwnTool(name, context)) : [];
      const notStarted = findUpstream(engine)?.notStarted;
      const meta = {
        ...Object(_meta),
        [metaKeys.controlTools]: { ...offer },
        ...(notStarted !== undefined && { [metaKeys.notStarted]: notStarted }),
      };
      return { ...list, tools: [...shown, ...others, ...ofPanel], _meta: meta };
    },
    "tools/call": callMethod(engine, offer, { ...options, panel }, { ...adapter, showsApps }),
    ...resourceMethods(engine, offer, { panel, onError }, adapter),
  };
}

function callMethod<Context, EraCall extends Call>(
  engine: Engine,
  offer: ControlToolsOffer,
  options: RegisterToolsOptions<never>,
  { call: makeCall, whileOpen, runTool, showsApps, hasOwnTool }: EraAdapter<Context, EraCall>,
): Method<Context> {
  const { panel, onError } = options;
  const controls = new Map<string, ControlTool>(offeredTools(offer.listed).map((tool) => [tool.name, tool]));
  const answer = async (
    context: Context,
    argument: ClientArgument,
    run: (call: EraCall) => Promise<object>,
  ): Promise<object> => {
    try {
      const call = makeCall(context, argument);
      return await (whileOpen === undefined ? run(call) : whileOpen(call, run));
    } catch (error) {
      if (error instanceof RpcError) throw error;
      return failureResult(error, onError, offer.listed === "none" ? undefined : offer.prefix);
    }
  };
  return async (params, context, next) => {
    const name = toText(params.name);
    const [tool, control] = [toolsByName(engine).get(name), controls.get(findControlTool(name, offer) ?? "")];
    if (tool !== undefined || control !== undefined) {
      const { rest, ...argument } = splitClientId(argumentsOf(params), tool);
      return answer(context, argument, async (call) => {
        if (tool !== undefined) return runTool(call, tool, rest, context);
        return control === undefined ? {} : forAllOwners(call, control.name, options, (by) => control.run(by, rest));
      });
    }
    const ofPanel = panel === undefined || hasOwnTool(name, context) ? undefined : findPanelTool(name, offer);
    if (panel === undefined || ofPanel === undefined || !showsApps(context)) return next();
    const input = argumentsOf(params);
    return answer(context, readCaller(engine, ofPanel, input), (call) =>
      forAllOwners(call, ofPanel, options, (by) => runPanelTool(ofPanel, by, input, { ...options, ...panel })),
    );
  };
}

/** @throws {@link RpcError} where the arguments are none. */
function argumentsOf({ arguments: given = {} }: JsonObject): JsonObject {
  if (isJsonObject(given)) return given;
  throw new RpcError(rpcCodes.invalidParams, "Invalid params: arguments: The arguments must be an object.");
}

/** Makes the result of a call that threw, and tells the server's author of what was not expected. */
function failureResult(
  error: unknown,
  onError: ((error: unknown) => void) | undefined,
  prefix: string | undefined,
): ToolResult {
  if (error instanceof InvalidArguments) return errorResult("INVALID_VALUE", error.message);
  if (!isResumableError(error)) onError?.(error);
  return thrownResult(error, prefix);
}
