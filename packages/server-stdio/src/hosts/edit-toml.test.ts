import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { tomlEditor } from "./edit-toml.js";

const file = "config.toml";
const server = { key: "mcp_servers", name: "my-tools", entry: { command: "node", args: ["a", 'b "c" \\d'] } };
const table = '[mcp_servers.my-tools]\ncommand = "node"\nargs = [ "a", "b \\"c\\" \\\\d" ]\n';

test("a server is a table at the end, and all that was there stays", () => {
  const text = "# mine\nmodel = 'o4' # the usual\n\n[tui]\ntheme = 1\n";
  expect(tomlEditor.set(text, server, file)).toBe(`${text}\n${table}`);
  expect(tomlEditor.set("", server, file)).toBe(table);
  expect(tomlEditor.set("model = 1", server, file)).toBe(`model = 1\n\n${table}`);
  expect(tomlEditor.set(`${text}\n${table}`, server, file)).toBe(`${text}\n${table}`);
});

test.each([
  ["a table with tables in it", '[mcp_servers.my-tools]\ncommand = "old"\n\n[mcp_servers.my-tools.env]\nA = "b"\n'],
  ["a quoted name", '[mcp_servers."my-tools"]\ncommand = "old"\n'],
  ["values on several lines", '[mcp_servers . my-tools]\nargs = [\n  "x", # one\n  "y",\n]\ncommand = "old"\n'],
])("a server that stands there as %s is changed and removed, and its neighbours stay", (_what, old) => {
  const [before, after] = ["# first\n[a]\nx = 1\n\n", "\n# of the next\n[mcp_servers.next]\ncommand = 'n'\n"];
  const text = `${before}${old}${after}`;
  const changed = tomlEditor.set(text, server, file);
  expect(tomlEditor.servers(changed, server, file)["my-tools"]).toEqual(server.entry);
  const removed = tomlEditor.remove(text, server, file) ?? "";
  expect(structuredClone(parse(removed))).toEqual({ a: { x: 1 }, mcp_servers: { next: { command: "n" } } });
  for (const edited of [changed, removed])
    expect(edited).toMatch(/# first\n\[a\]\nx = 1\n[\s\S]*# of the next\n\[mcp_servers\.next\]/);
});

test("the last server takes the property with it", () => {
  expect(tomlEditor.remove(`a = 1\n\n${table}`, server, file)).toBe("a = 1\n");
  expect(tomlEditor.remove("a = 1\n", server, file)).toBeUndefined();
});

test.each([
  ["an open list", "a = [", /config\.toml is not valid TOML \(unfinished array at line 1, column 5\).*left as it is/],
  ["two equal keys", "a = 1\na = 2\n", /not valid TOML/],
  ["servers that are a list", "mcp_servers = [1]\n", /"mcp_servers" of config\.toml does not hold servers by name/],
])("a file with %s is refused", (_what, text, sentence) => {
  expect(() => tomlEditor.set(text, server, file)).toThrow(sentence);
  expect(() => tomlEditor.remove(text, server, file)).toThrow(sentence);
});

test.each([
  ["an inline table", "mcp_servers = { my-tools = { command = 'old' } }\n"],
  ["dotted keys", "mcp_servers.my-tools.command = 'old'\n"],
  ["a list whose lines look like tables", "[mcp_servers.my-tools]\nargs = [\n  [1],\n]\n"],
])("a server that stands there as %s is left to its author", (_what, text) => {
  expect(() => tomlEditor.set(text, server, file)).toThrow(/change it by hand/);
  expect(() => tomlEditor.remove(text, server, file)).toThrow(/change it by hand/);
});
