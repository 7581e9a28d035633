import { expect, onTestFinished, test } from "vitest";
import { countTool } from "./counting-tool.js";
import { openEndpoint as open2026 } from "./endpoint-2026.js";
import { openForTest, openSession, post } from "./http-endpoint.js";

/** `String` throws on it. */
const withoutText = { toString: "a" };

test.each(["tools/call", "prompts/get", "resources/read"])(
  "a name without a text in %s is a mistake of its client, in both eras, and no failure of the server",
  async (method) => {
    const params = { name: withoutText, uri: withoutText };
    const of2026 = open2026([countTool()]);
    onTestFinished(() => of2026.close());
    expect((await of2026.send(method, params)).error).toMatchObject({ code: -32602 });
    const { url } = await openForTest({ tools: [countTool()] });
    const response = await post(url, { jsonrpc: "2.0", id: 1, method, params }, await openSession(url));
    expect(await response.text()).toMatch(/"code":-3260[02]/);
  },
);
