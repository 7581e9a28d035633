import { type ContentBlock, defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";

/** One red pixel. */
export const pixelPng =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A sound of no length. */
const silenceWav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const image: ContentBlock = { type: "image", data: pixelPng, mimeType: "image/png" };

/** A tool that answers at once, always with the same content. */
function contentTool(name: string, description: string, content: readonly ContentBlock[]): Tool {
  return defineTool({
    name,
    description,
    input: z.object({}),
    taskSupport: "forbidden",
    durable: true,
    content: () => content,
    run: async () => null,
  });
}

/** Tools for each kind of content. */
export const contentTools: readonly Tool[] = [
  contentTool("test_simple_text", "Answers with a text.", [
    { type: "text", text: "This is a simple text response for testing." },
  ]),
  contentTool("test_image_content", "Answers with an image.", [image]),
  contentTool("test_audio_content", "Answers with a sound.", [
    { type: "audio", data: silenceWav, mimeType: "audio/wav" },
  ]),
  contentTool("test_embedded_resource", "Answers with an embedded resource.", [
    {
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    },
  ]),
  contentTool("test_multiple_content_types", "Answers with a text, an image and a resource.", [
    { type: "text", text: "Multiple content types test:" },
    image,
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    },
  ]),
];

/** What both eras' prompts and resources hold. */
export const resources = {
  text: {
    name: "static-text",
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  binary: { name: "static-binary", uri: "test://static-binary", mimeType: "image/png", blob: pixelPng },
  watched: {
    name: "watched",
    uri: "test://watched-resource",
    mimeType: "text/plain",
    text: "Watched resource content",
  },
  template: { name: "template", uri: "test://template/{id}/data", mimeType: "application/json" },
} as const;

/** A message of a prompt. */
type PromptMessage = { role: "user"; content: PromptContent };
type PromptContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; text: string } };

const said = (...contents: PromptContent[]): { messages: PromptMessage[] } => ({
  messages: contents.map((content) => ({ role: "user", content })),
});

/** What both eras' prompts answer. */
export const prompts = {
  simple: () => said({ type: "text", text: "This is a simple prompt for testing." }),
  withArguments: (arg1: string, arg2: string) =>
    said({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  withResource: (uri: string) =>
    said(
      {
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
      { type: "text", text: "Please process the embedded resource above." },
    ),
  withImage: () =>
    said(
      { type: "image", data: pixelPng, mimeType: "image/png" },
      { type: "text", text: "Please analyze the image above." },
    ),
};

/** The content of a resource made from the template. */
export function templateText(id: string): string {
  return JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
}
