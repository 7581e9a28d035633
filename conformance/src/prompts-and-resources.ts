import { pixelPng } from "./content-tools.js";

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
