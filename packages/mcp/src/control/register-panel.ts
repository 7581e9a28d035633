import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import {
  appMimeType,
  type ControlToolMode,
  type ControlToolName,
  type ControlToolsOffer,
  controlToolOf,
  minimalControlTools,
  panelToolOf,
  panelUri,
} from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { asRpcError } from "../call/rpc-error.js";
import type { ClientArgument } from "../call/session-client.js";
import type { PanelPage, ServerDefinition } from "../define-server.js";
import { answerBefore, isRegisteredTool } from "../sdk-workarounds.js";
import { callerOf, listedPanelTools, type PanelFacts, runPanelTool } from "./panel-tools.js";

/** The panel of a server. */
export interface PanelOptions extends PanelFacts {
  readonly page: PanelPage;
}

/** The panel of a definition. */
export function panelOf(
  { name, version, panel }: ServerDefinition,
  operatorScope: string | undefined,
): PanelOptions | undefined {
  return panel === undefined || panel === false ? undefined : { page: panel, server: { name, version }, operatorScope };
}

/** What a server needs to show its panel. */
export interface PanelParts<Context> {
  readonly mcp: { readonly server: object };
  readonly engine: Engine;
  readonly offer: ControlToolsOffer;
  readonly panel: PanelOptions;
  /** Whether the client of a request shows the pages of MCP Apps. */
  readonly showsApps: (context: Context) => boolean;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Answers a call, and makes a result of what it throws. */
  readonly answer: (
    context: Context,
    argument: ClientArgument,
    run: (call: Call) => Promise<object>,
  ) => Promise<object>;
}

/** Tells which names are those of a server's tools of the panel, for its traces. */
export function panelNames({
  panel,
  controlTools,
  prefix = "",
}: {
  readonly panel?: PanelOptions | undefined;
  readonly controlTools?: ControlToolMode | undefined;
  readonly prefix?: string | undefined;
}): (name: string) => boolean {
  if (panel === undefined || controlTools === "none") return () => false;
  return (name) => panelToolOf(name, { prefix }) !== undefined;
}

/** Control tools whose results the panel shows. */
const shownByPanel: readonly ControlToolName[] = ["get_task", "wait_for_task", "list_session_tasks"];

/**
 * Shows the panel to clients that show apps; for any other client there is no panel, and no tool of it.
 *
 * The tools and the page are no entries of the SDK's registry: they depend on the client of each request, of which one server
 * of the 2026 era has many.
 *
 * Source: MCP Apps 2026-01-26, "Resource Discovery", "Visibility" and "Client<>Server Capability Negotiation".
 */
export function registerPanel<Context>({
  mcp,
  engine,
  offer,
  panel,
  showsApps,
  answer,
  onError,
}: PanelParts<Context>): void {
  const { server } = mcp;
  const isOwn = (name: string) => isRegisteredTool(mcp, name);
  answerBefore<Context>(server, "tools/list", async (_request, context, next) => {
    const list = await next();
    return showsApps(context) ? listWithPanel(list, engine, offer, isOwn) : list;
  });
  answerBefore<Context>(server, "tools/call", (request, context, next) => {
    const { name, arguments: given } = paramsOf(request);
    const tool = typeof name === "string" && !isOwn(name) ? panelToolOf(name, offer) : undefined;
    if (tool === undefined || !showsApps(context)) return next();
    const input = isJsonObject(given) ? given : {};
    return answer(context, callerOf(engine, tool, input), (call) => runPanelTool(tool, call, input, panel));
  });
  answerBefore<Context>(server, "resources/list", async (_request, context, next) => {
    const list = await next();
    if (!showsApps(context)) return list;
    return { ...list, resources: [panelResource, ...(Array.isArray(list.resources) ? list.resources : [])] };
  });
  answerBefore<Context>(server, "resources/read", async (request, context, next) => {
    if (paramsOf(request).uri !== panelUri || !showsApps(context)) return next();
    const html = await pageOf(panel, onError);
    const text = withPrefix(html, offer.prefix);
    return { contents: [{ uri: panelUri, mimeType: appMimeType, text, _meta: panelResource._meta }] };
  });
}

async function pageOf({ page }: PanelOptions, onError: PanelParts<unknown>["onError"]): Promise<string> {
  try {
    return typeof page === "string" ? page : await page();
  } catch (error) {
    onError?.(error);
    throw asRpcError(error);
  }
}

/** No network, nothing from elsewhere. Source: MCP Apps 2026-01-26, "UI Resource Format". */
const panelResource = {
  uri: panelUri,
  name: "panel",
  title: "Panel of long-running tasks",
  description: "Shows tasks as they go, and controls them.",
  mimeType: appMimeType,
  _meta: {
    ui: {
      csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
      prefersBorder: true,
    },
  },
} as const;

function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** Pure. */
function listWithPanel(
  list: JsonObject,
  engine: Engine,
  offer: ControlToolsOffer,
  isOwn: (name: string) => boolean,
): JsonObject {
  const resumable = new Set(engine.tools.map(({ name }) => name));
  const withUi = (tool: JsonObject, ui: JsonObject): JsonObject => ({ ...tool, _meta: { ...Object(tool._meta), ui } });
  const shown = (tool: unknown): unknown => {
    if (!isJsonObject(tool)) return tool;
    const name = String(tool.name);
    if (resumable.has(name)) return withUi(tool, { resourceUri: panelUri });
    const control = controlToolOf(name, offer);
    if (control === undefined) return tool;
    const isForModel = offer.listed === "all" || minimalControlTools.includes(control);
    const ui: JsonObject = {
      ...(shownByPanel.includes(control) && { resourceUri: panelUri }),
      ...(!isForModel && { visibility: ["app"] }),
    };
    return Object.keys(ui).length === 0 ? tool : withUi(tool, ui);
  };
  const tools = Array.isArray(list.tools) ? list.tools.map(shown) : [];
  const own = listedPanelTools.map((tool) => ({ ...tool, name: `${offer.prefix}${tool.name}` }));
  return { ...list, tools: [...tools, ...own.filter(({ name }) => !isOwn(name))] } as JsonObject;
}

/** The page calls tools by their names, which a prefix changes. Pure. */
function withPrefix(html: string, prefix: string): string {
  if (prefix === "") return html;
  const content = prefix.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return html.replace(/<head\b[^>]*>/i, (head) => `${head}<meta name="resumable-mcp-prefix" content="${content}">`);
}
