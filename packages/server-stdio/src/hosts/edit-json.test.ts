import { hostFormat } from "@resumable-mcp/protocol/hosts";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { configSamples } from "../../test/config-samples.js";
import { jsonEditor } from "./edit-json.js";
import { hostEntry } from "./host-config.js";

const start = { name: "my-tools", command: "/usr/bin/node", args: ["/opt/cli.js", "/srv/tools.mjs"] };
const file = "config.json";
const parsed = (text: string) => parse(text, [], { allowTrailingComma: true });

test.each(configSamples.filter(({ host }) => hostFormat(host) === "json"))(
  "a server is added to a file of $host with $what, and no other line changes",
  ({ host, text: given }) => {
    const text = given.replace(/^\uFEFF/, "");
    const server = hostEntry(host, start);
    const added = jsonEditor.set(text, server, file);
    const before = parsed(text);
    expect(parsed(added)).toEqual({ ...before, [server.key]: { ...before[server.key], "my-tools": server.entry } });
    const lines = added.split("\n");
    const commentsOf = (from: string) => from.split("\n").filter((line) => /\/\/|\/\*|\*\//.test(line));
    // A comma behind a value is all that may come to a line.
    expect(commentsOf(added).map((line) => line.replaceAll(",", ""))).toEqual(
      commentsOf(text).map((line) => line.replaceAll(",", "")),
    );
    expect(lines.every((line) => line.endsWith("\r") === text.includes("\r") || line === "")).toBe(true);
    expect(jsonEditor.set(added, server, file)).toBe(added);
    expect(jsonEditor.servers(added, server, file)["my-tools"]).toEqual(server.entry);
    expect(parsed(jsonEditor.remove(added, server, file) ?? "")).toEqual({
      ...before,
      [server.key]: before[server.key] ?? {},
    });
  },
);

test("a server stands behind the last one and its comment, indented as the file is", () => {
  const text = '{\n\t"servers": {\n\t\t"a": { "command": "a" } // first\n\t}\n}\n';
  const server = { key: "servers", name: "b", entry: { command: "b", args: ["c"] } } as const;
  const added = jsonEditor.set(text, server, file);
  expect(added).toBe(
    '{\n\t"servers": {\n\t\t"a": { "command": "a" }, // first\n\t\t"b": {\n\t\t\t"command": "b",\n\t\t\t"args": [\n\t\t\t\t"c"\n\t\t\t]\n\t\t}\n\t}\n}\n',
  );
  expect(jsonEditor.remove(added, server, file)).toBe(text);
});

test("a server that stands there already is changed in its place", () => {
  const text = '{\n  "mcpServers": {\n    "my-tools": { "command": "old" }, // mine\n    "other": {}\n  }\n}\n';
  const server = hostEntry("cursor", start);
  const changed = jsonEditor.set(text, server, file);
  expect(jsonEditor.servers(changed, server, file)["my-tools"]).toEqual(server.entry);
  expect(changed).toMatch(/\}, \/\/ mine\n {4}"other": \{\}\n {2}\}\n\}\n$/);
});

test("a file that is empty or missing gets nothing but the server", () => {
  const server = hostEntry("claude-code", start);
  expect(parsed(jsonEditor.set("", server, file))).toEqual({ mcpServers: { "my-tools": server.entry } });
  expect(jsonEditor.set(" \n", server, file)).toBe(jsonEditor.set("", server, file));
  expect(jsonEditor.remove("", server, file)).toBeUndefined();
});

test.each([
  [
    "an open brace",
    '{\n  "mcpServers": {\n',
    /config\.json is not valid JSON \(CloseBraceExpected at line 3, column 1\)/,
  ],
  ["two commas", '{ "mcpServers": { "a": {},, } }', /not valid JSON .* at line 1/],
  ["a list", "[]", /does not hold a JSON object/],
  ["servers that are a list", '{ "mcpServers": [] }', /"mcpServers" of config\.json is not an object/],
])("a file with %s is refused, and says where", (_what, text, sentence) => {
  const server = hostEntry("claude-desktop", start);
  expect(() => jsonEditor.set(text, server, file)).toThrow(sentence);
  expect(() => jsonEditor.remove(text, server, file)).toThrow(sentence);
});
