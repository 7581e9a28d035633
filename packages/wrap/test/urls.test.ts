import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import type { Era, UpstreamClient } from "@resumable-mcp/mcp/define-server";
import { describe, expect, test } from "vitest";
import { openWrapped } from "./open-wrapped.js";

const urlOfServer = "https://example.com/secret";
const program = fileURLToPath(new URL("url-server.js", import.meta.url));

async function open(era: string) {
  const { definition, tasks } = await openWrapped({ command: "node", args: [program, era] });
  /** Calls the tool for a client, where there is one. */
  return async (client?: UpstreamClient, { caller = "2026", ...input }: { caller?: Era; before?: true } = {}) => {
    const begun = definition.upstream?.expect("local:test", caller);
    const { record } = await tasks.start({ tool: "visit", input: { ...input, with: client !== undefined } });
    begun?.(record.id);
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

describe("an error that says what its user has to open before the call", () => {
  const opening = (action: string, heard: JsonObject[] = []): UpstreamClient => ({
    capabilities: { elicitation: { url: {} } },
    async request(_method, params) {
      heard.push(params);
      return { result: { action } };
    },
  });

  test("passes unchanged to a caller of the 2025 era", async () => {
    const { output } = await (await open("2025"))(opening("accept"), { caller: "2025", before: true });
    const data = { elicitations: [{ mode: "url", message: "Sign in.", url: urlOfServer, elicitationId: "e1" }] };
    expect(output).toEqual({ error: { code: -32_042, message: "Sign in first.", data } });
  });

  test("sends the user of a caller of the 2026 era there, as often as the server says so, and is not stored", async () => {
    const heard: JsonObject[] = [];
    const ended = await (await open("2025"))(opening("accept", heard), { before: true });
    expect(ended.output).toMatchObject({ result: { content: [{ text: "signed in" }] } });
    const asked = { mode: "url", message: "Sign in.", url: urlOfServer };
    expect(heard).toEqual([asked, asked]);
    expect(JSON.stringify(ended)).not.toContain("secret");
  });

  test("ends the call where the user does not go there, or no client can send it there", async () => {
    const call = await open("2025");
    const declined = await call(opening("decline"), { before: true });
    expect(declined.output).toMatchObject({ result: { isError: true } });
    const { output } = await call(undefined, { before: true });
    expect(output).toMatchObject({ error: { code: -32_021 } });
  });
});
