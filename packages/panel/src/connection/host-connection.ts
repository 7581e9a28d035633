import { App } from "@modelcontextprotocol/ext-apps";
import { isJsonObject, type JsonObject } from "@resumable-mcp/protocol";
import { panelName } from "../version.js";
import { CallError, callTimeoutMs, type HostFacts, type PanelConnection, readToolResult } from "./connection.js";

/** Connects with the host in whose frame the panel is. Source: MCP Apps 2026-01-26. */
export async function connectHost(prefix: string): Promise<PanelConnection> {
  const app = new App({ ...panelName }, {}, { autoResize: true });
  const listeners = new Set<() => void>();
  let facts: HostFacts = {};
  const change = (next: HostFacts) => {
    facts = next;
    for (const listener of listeners) listener();
  };
  const opened = (more: NonNullable<HostFacts["opened"]>) => change({ ...facts, opened: { ...facts.opened, ...more } });
  // Hosts send what they know once, right after the connection is made.
  app.addEventListener("toolinput", ({ arguments: input }) => opened({ arguments: asJson(input) ?? {} }));
  app.addEventListener("toolresult", (result) => opened({ result: asJson(result) ?? {} }));
  app.addEventListener("toolcancelled", () => opened({ cancelled: true }));
  const readContext = () => {
    const { theme, locale, toolInfo } = app.getHostContext() ?? {};
    const { name: tool = facts.opened?.tool, title = facts.opened?.title } = toolInfo?.tool ?? {};
    change({ ...facts, theme, locale, opened: { ...facts.opened, tool, title } });
  };
  app.addEventListener("hostcontextchanged", readContext);
  app.onteardown = () => ({});
  await app.connect();
  readContext();
  return {
    mode: "host",
    facts: () => facts,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    async call(tool, args) {
      const params = { name: `${prefix}${tool}`, arguments: { ...args } };
      const result = await app.callServerTool(params, { timeout: callTimeoutMs }).catch((error: unknown) => {
        throw callErrorOf(error);
      });
      return readToolResult(asJson(result) ?? {});
    },
  };
}

/** What a host rejects a call with: a server that has no such tool says so by its code, everything else counts as away. */
function callErrorOf(error: unknown): CallError {
  const { code, message = String(error) } = error as { readonly code?: unknown; readonly message?: string };
  const isUnknown = code === -32_602 || code === -32_601;
  return new CallError(isUnknown ? "unknown_tool" : "away", message);
}

/** What came by a message is JSON. */
function asJson(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
