import type { JsonObject } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { checkHeaders } from "./standard-headers.js";

const schema: JsonObject = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    size: { type: "object", properties: { width: { type: "integer", "x-mcp-header": "Width" } } },
  },
};
const params = { name: "größe", arguments: { region: "eu", size: { width: 7 } } };
const right = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": `=?base64?${Buffer.from("größe").toString("base64")}?=`,
  "mcp-param-region": " eu ",
  "mcp-param-width": "7.0",
};

function check(headers: { readonly [name: string]: string | undefined }): string {
  const request = { header: (name: string) => headers[name] };
  try {
    checkHeaders(request, "tools/call", params, schema);
    return "fits";
  } catch (error) {
    return (error as Error).message;
  }
}

test("headers repeat the body: text that no header may hold as Base64, numbers by their value, properties of properties", () => {
  expect(check(right)).toBe("fits");
});

test.each([
  ["mcp-method", undefined, "the required Mcp-Method header is absent"],
  ["mcp-name", undefined, 'the body has params.name="größe", but the required Mcp-Name header is absent'],
  ["mcp-name", "=?base64?w7?=", "the Mcp-Name header is not valid Base64"],
  ["mcp-name", "=?base64?/w==?=", "the Mcp-Name header is not valid Base64"],
  ["mcp-param-region", "us", 'the body has region="eu", but the Mcp-Param-Region header names "us"'],
  ["mcp-param-width", undefined, "the body has size.width=7, but the required Mcp-Param-Width header is absent"],
])("%s %s is refused with what is wrong", (name, value, problem) => {
  expect(check({ ...right, [name]: value })).toBe(`Bad Request: the request headers and body disagree: ${problem}`);
});
