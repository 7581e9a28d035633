import { type CallToolResult, Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityModelOnly,
  type McpUiHostContext,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallSeen, HostOptions, ReferenceHost } from "./reference-host.js";

// The page of a host, as small as it can be: it calls tools of one server, and shows the app that a tool names.
// It does what the specification asks of hosts, and no more: MCP Apps 2026-01-26.

const implementation = { name: "reference-host", version: "1.0.0" };
const appsExtension = "io.modelcontextprotocol/ui";
const callTimeoutMs = 10 * 60_000;
const frameReady = "ui/notifications/sandbox-proxy-ready";

interface View {
  readonly frame: HTMLIFrameElement;
  readonly bridge: AppBridge;
}

interface Connection {
  readonly options: HostOptions;
  readonly client: Client;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** The call whose view is shown; kept over a reload of the page, as hosts keep their conversation. */
interface StoredCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly result?: CallToolResult;
}

let connection: Connection | undefined;
let view: View | undefined;
const calls: CallSeen[] = [];

const connected = (): Connection => {
  if (connection === undefined) throw new Error("The host is not connected.");
  return connection;
};

async function connect(options: HostOptions): Promise<readonly Tool[]> {
  const client = new Client(implementation, {
    capabilities:
      options.apps === false ? {} : { extensions: { [appsExtension]: { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    ...(options.revision === "2026-07-28" && { versionNegotiation: { mode: { pin: options.revision } } }),
  });
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(options.server), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  connection = { options, client, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  return tools;
}

/** What a host passes on that takes `_meta` away. */
function passedOn(result: CallToolResult): CallToolResult {
  if (connected().options.stripMeta !== true) return result;
  const { _meta, ...rest } = result;
  return rest;
}

/** Only tools that are listed for apps: a model's host refuses the others. */
async function callForApp({ name, arguments: args }: { name: string; arguments?: Record<string, unknown> }) {
  const { client, tools } = connected();
  const tool = tools.get(name);
  const isAllowed = tool !== undefined && !isToolVisibilityModelOnly(tool);
  calls.push({ tool: name, refused: !isAllowed });
  if (!isAllowed) throw new Error(`The tool ${name} is not listed for apps.`);
  const result = await client.callTool({ name, arguments: args }, { timeout: callTimeoutMs });
  return passedOn(result as CallToolResult);
}

function hostContext(tool: Tool): McpUiHostContext {
  const { theme, locale, withoutToolInfo } = connected().options;
  return {
    theme: theme ?? "light",
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    platform: "web",
    ...(locale !== undefined && { locale }),
    ...(withoutToolInfo !== true && { toolInfo: { tool } }),
  };
}

function makeBridge(tool: Tool, frame: HTMLIFrameElement): AppBridge {
  const capabilities = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} };
  const bridge = new AppBridge(null, implementation, capabilities, { hostContext: hostContext(tool) });
  bridge.oncalltool = (params) => callForApp(params);
  bridge.onreadresource = ({ uri }) => connected().client.readResource({ uri });
  bridge.onrequestdisplaymode = async () => ({ mode: "inline" });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  return bridge;
}

async function readApp(uri: string): Promise<string> {
  const { contents } = await connected().client.readResource({ uri });
  const [content] = contents;
  if (content?.mimeType !== RESOURCE_MIME_TYPE || !("text" in content)) throw new Error(`${uri} is not an app.`);
  return content.text;
}

/** The outer frame, of another origin than this page: it makes the inner one, in which the app runs. */
async function openFrame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement("iframe");
  frame.title = "App";
  frame.sandbox.add("allow-scripts", "allow-same-origin", "allow-forms");
  const ready = new Promise<void>((resolve) => {
    const listen = ({ source, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || data?.method !== frameReady) return;
      removeEventListener("message", listen);
      resolve();
    };
    addEventListener("message", listen);
  });
  frame.src = connected().options.sandbox;
  document.body.append(frame);
  await ready;
  return frame;
}

async function showView(tool: Tool, args: Record<string, unknown>): Promise<View> {
  const uri = getToolUiResourceUri(tool);
  if (uri === undefined) throw new Error(`The tool ${tool.name} names no app.`);
  const html = await readApp(uri);
  const frame = await openFrame();
  const bridge = makeBridge(tool, frame);
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  const { contentWindow } = frame;
  if (contentWindow === null) throw new Error("The frame has no window.");
  await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
  await bridge.sendSandboxResourceReady({ html });
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  view = { frame, bridge };
  return view;
}

function toolNamed(name: string): Tool {
  const tool = connected().tools.get(name);
  if (tool === undefined) throw new Error(`The server lists no tool ${name}.`);
  return tool;
}

function visibilityOf({ _meta }: Tool): readonly string[] | null {
  const { visibility } = (_meta?.ui ?? {}) as { readonly visibility?: readonly string[] };
  return visibility ?? null;
}

const storedCall = "call";

function keep(call: StoredCall): void {
  sessionStorage.setItem(storedCall, JSON.stringify(call));
}

const host: ReferenceHost = {
  connect,
  calls,
  listed: () =>
    [...connected().tools.values()].map((tool) => ({
      name: tool.name,
      app: getToolUiResourceUri(tool) ?? null,
      visibility: visibilityOf(tool),
    })),
  async callAndShow(name, args) {
    const tool = toolNamed(name);
    const ending = connected().client.callTool({ name, arguments: args }, { timeout: callTimeoutMs });
    ending.catch(() => undefined);
    keep({ tool: name, args });
    const { bridge } = await showView(tool, args);
    ending
      .then(
        (result) => {
          const shown = passedOn(result as CallToolResult);
          keep({ tool: name, args, result: shown });
          return bridge.sendToolResult(shown);
        },
        (error: unknown) => bridge.sendToolCancelled({ reason: String(error) }),
      )
      .catch(() => undefined);
  },
  async call(name, args) {
    return (await connected().client.callTool({ name, arguments: args }, { timeout: callTimeoutMs })) as CallToolResult;
  },
  async rebuild() {
    const kept = sessionStorage.getItem(storedCall);
    if (kept === null) throw new Error("No call is kept.");
    const { tool, args, result }: StoredCall = JSON.parse(kept);
    const { bridge } = await showView(toolNamed(tool), args);
    if (result !== undefined) await bridge.sendToolResult(result);
  },
  async unload() {
    await view?.bridge.close();
    view?.frame.remove();
    view = undefined;
  },
  async setTheme(theme) {
    await view?.bridge.sendHostContextChange({ theme });
  },
};

Object.assign(window, { host });
