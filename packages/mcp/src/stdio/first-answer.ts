import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { controlToolFacts, envelopeKeys } from "@resumable-mcp/protocol";
import { joinInstructions, tellLocal } from "../control/instructions.js";
import type { ServerDefinition } from "../define-server.js";
import { initializeResult, versions } from "../era-2025/initialize.js";
import { discovery, offered2026, resultOnWire, revision } from "../era-2026/discovery.js";

/** The response to a first request. */
export interface FirstAnswer {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result: object;
}

/**
 * Answers `initialize` and `server/discover` as the SDK will, before an SDK is loaded: its loading takes longer than all else
 * until then. Pure.
 *
 * @returns `undefined` where only the SDK knows the answer: the definition has a `setup`, or the request is not one that
 * certainly fits the SDK's schema.
 */
export function firstAnswer(definition: ServerDefinition, message: object): FirstAnswer | undefined {
  if (!isPlain(definition) || !isJsonObject(message)) return undefined;
  const { jsonrpc, id, method, params, ...others } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (jsonrpc !== "2.0" || !isId || !isJsonObject(params) || Object.keys(others).length > 0) return undefined;
  const instructions = joinInstructions(definition);
  if (method === "initialize" && isInitialize(params)) {
    const answer: JsonObject = { ...initializeResult(definition, params.protocolVersion, instructions) };
    // A host at the other end of stdio is local.
    return { jsonrpc, id, result: tellLocal(answer) };
  }
  if (method !== "server/discover" || !isDiscover(params)) return undefined;
  const answer = tellLocal(discovery(definition, offered2026));
  return { jsonrpc, id, result: resultOnWire(method, answer, definition) };
}

/** Nothing but tools, which can all be registered. */
function isPlain({ setup, setup2026, tools }: ServerDefinition): boolean {
  const names = [...tools.map(({ name }) => name), ...Object.keys(controlToolFacts)];
  return setup === undefined && setup2026 === undefined && new Set(names).size === names.length;
}

/** Source: MCP 2025-11-25, Lifecycle, "Initialization". */
function isInitialize({ protocolVersion, capabilities, clientInfo, ...others }: JsonObject): boolean {
  const isKnown = versions.some((known) => known === protocolVersion) && Object.keys(others).length === 0;
  return isKnown && areCapabilities(capabilities) && isImplementation(clientInfo);
}

/** Source: MCP 2026-07-28, Basic, "_meta". */
function isDiscover({ _meta, ...others }: JsonObject): boolean {
  if (!isJsonObject(_meta) || Object.keys(others).length > 0) return false;
  const { [envelopeKeys.protocolVersion]: version, [envelopeKeys.clientCapabilities]: client, ...rest } = _meta;
  const { [envelopeKeys.clientInfo]: info, ...unknown } = rest;
  const isKnown = version === revision && Object.keys(unknown).length === 0;
  return isKnown && areCapabilities(client) && (info === undefined || isImplementation(info));
}

function isImplementation(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, version, title = "", description = "", websiteUrl = "", icons = [], ...others } = value;
  const isText = [name, version, title, description, websiteUrl].every((text) => typeof text === "string");
  return isText && Array.isArray(icons) && icons.every(isIcon) && Object.keys(others).length === 0;
}

function isIcon(value: unknown): boolean {
  const { src, mimeType = "", sizes = [], ...others } = isJsonObject(value) ? value : {};
  return typeof src === "string" && typeof mimeType === "string" && areTexts(sizes) && Object.keys(others).length === 0;
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

const flags: readonly string[] = ["listChanged", "applyDefaults"];

/** Capabilities are objects of objects, these flags, and the types of apps that a host shows. */
function areCapabilities(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([key, part]) =>
    flags.includes(key) ? typeof part === "boolean" : key === "mimeTypes" ? areTexts(part) : areCapabilities(part),
  );
}
