import type { JsonObject, ResultBlock, TaskResult } from "@resumable-mcp/client";
import { asObject } from "../json.js";

/** The text of a result, in which what a terminal cannot show is named in its place. */
export function contentText({ content, text }: Pick<TaskResult, "content" | "text">): string {
  if (content.every(({ type }) => type === "text")) return text;
  return content.map((block) => (typeof block.text === "string" ? block.text : nameOf(block))).join("\n");
}

/** `[image image/png, 12 KiB]`, `[link report.pdf, file:///report.pdf, application/pdf]`. */
function nameOf(block: ResultBlock): string {
  const resource = asObject(block.resource) ?? block;
  const { name, uri, mimeType, size } = resource;
  const kind = block.type === "resource_link" ? "link" : block.type;
  const facts = [name, uri, mimeType, sizeOf(size ?? bytesOf(resource))].filter((fact) => typeof fact === "string");
  return `[${kind}${facts.length === 0 ? "" : ` ${facts.join(", ")}`}]`;
}

/** Of data in base64, or of an embedded text. */
function bytesOf({ data, blob, text }: JsonObject): number | undefined {
  const encoded = data ?? blob;
  if (typeof encoded === "string") return Buffer.byteLength(encoded, "base64");
  return typeof text === "string" ? Buffer.byteLength(text) : undefined;
}

function sizeOf(bytes: JsonObject[string] | undefined): string | undefined {
  if (typeof bytes !== "number") return undefined;
  return bytes < 1_024 ? `${bytes} B` : `${Math.ceil(bytes / 1_024)} KiB`;
}
