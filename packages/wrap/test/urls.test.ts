import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import type { UpstreamClient } from "@resumable-mcp/mcp/define-server";
import { expect, test } from "vitest";
import { openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("url-server.js", import.meta.url));

async function open(era: string) {
  const { definition, tasks } = await openWrapped({ command: "node", args: [program, era] });
  /** Calls the tool for a client, where there is one. */
  return async (client?: UpstreamClient) => {
    const { record } = await tasks.start({ tool: "visit", input: { with: client !== undefined } });
    if (client !== undefined) definition.upstream?.join(record.id, client);
    return (await tasks.wait(record.id)).record;
  };
}

test.each(["2025", "2026"])(
  "a server of the %s era sends the user of a client to a URL, which is not stored",
  async (era) => {
    const call = await open(era);
    const heard: unknown[] = [];
    const client: UpstreamClient = {
      capabilities: { elicitation: { url: {} } },
      async request(method, params) {
        heard.push([method, params.url]);
        return { result: { action: "accept" } };
      },
      notify: (method, { elicitationId }) => heard.push([method, elicitationId]),
    };
    const ended = await call(client);
    expect(JSON.stringify(ended.output)).toContain("visited: accept");
    const asked = ["elicitation/create", "https://example.com/secret"];
    const complete = ["notifications/elicitation/complete", "e1"];
    expect(heard).toEqual(era === "2025" ? [asked, complete] : [asked]);
    expect(JSON.stringify(ended)).not.toContain("secret");
  },
);

test.each<[string, JsonObject]>([
  ["2025", { result: { content: [{ text: expect.stringContaining("visited: The server sends its user to a URL") }] } }],
  [
    "2026",
    {
      error: {
        code: -32_021,
        message: expect.stringContaining("Call it from a client that can."),
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      },
    },
  ],
])("a server of the %s era gets an error where no client can open a URL", async (era, answer) => {
  const call = await open(era);
  expect((await call()).output).toMatchObject(answer);
  const onlyForms: UpstreamClient = {
    capabilities: { elicitation: { form: {} } },
    request: async () => ({ result: { action: "accept" } }),
  };
  expect((await call(onlyForms)).output).toMatchObject(answer);
});
