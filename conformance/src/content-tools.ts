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
    onCrash: "rerun",
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
