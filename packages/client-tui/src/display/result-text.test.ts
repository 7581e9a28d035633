import type { ResultBlock } from "@resumable-mcp/client";
import { expect, it } from "vitest";
import { contentText } from "./result-text.js";

const textOf = (...content: readonly ResultBlock[]) => contentText({ content, text: "joined" });
const text = { type: "text", text: "a\nb" };

it.each<[string, ResultBlock, string]>([
  ["an image", { type: "image", data: "A".repeat(4_000), mimeType: "image/png" }, "[image image/png, 3 KiB]"],
  ["sound", { type: "audio", data: "AAAA", mimeType: "audio/wav" }, "[audio audio/wav, 3 B]"],
  [
    "a link",
    { type: "resource_link", name: "report.pdf", uri: "file:///report.pdf", mimeType: "application/pdf", size: 2_048 },
    "[link report.pdf, file:///report.pdf, application/pdf, 2 KiB]",
  ],
  [
    "an embedded resource",
    { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "four" } },
    "[resource file:///a.txt, text/plain, 4 B]",
  ],
  ["a kind that is not known", { type: "hologram" }, "[hologram]"],
])("names %s between the texts of a result", (_what, block, name) => {
  expect(textOf(text, block, text)).toBe(`a\nb\n${name}\na\nb`);
});

it("leaves a result of texts as it is", () => {
  expect([textOf(text), textOf()]).toEqual(["joined", "joined"]);
});
