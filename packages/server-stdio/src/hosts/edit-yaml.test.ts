import { expect, test } from "vitest";
import { parse } from "yaml";
import { yamlEditor, yamlListEditor } from "./edit-yaml.js";

const file = "config.yaml";
const server = {
  key: "extensions",
  name: "my-tools",
  entry: { cmd: "node", args: ["-y", "true", "a: b #c"], envs: {} },
};
const lines =
  '  my-tools:\n    cmd: "node"\n    args:\n      - "-y"\n      - "true"\n      - "a: b #c"\n    envs: {}\n';

test("a server stands below the line that begins the servers, and all that was there stays", () => {
  const [head, rest] = ["A: 1 # one\nextensions: # all\n", "  # of dev\n  dev:\n    args:\n    - a\n\n# of B\nB: 2\n"];
  const added = yamlEditor.set(`${head}${rest}`, server, file);
  expect(added).toBe(`${head}${lines}${rest}`);
  expect(yamlEditor.set(added, server, file)).toBe(added);
  expect(yamlEditor.remove(added, server, file)).toBe(`${head}${rest}`);
});

test.each([
  ["nothing", "", `extensions:\n${lines}`],
  ["a comment", "# mine\n", `# mine\nextensions:\n${lines}`],
  ["no line end", "A: 1", `A: 1\nextensions:\n${lines}`],
  ["no servers", "extensions:\nB: 2\n", `extensions:\n${lines}B: 2\n`],
  ["an empty map", "extensions: {} # none\nB: 2\n", `extensions:  # none\n${lines}B: 2\n`],
  [
    "deep indentation",
    "extensions:\n      dev: {}\n",
    `extensions:\n${lines.replace(/^ {2}/gm, "      ")}      dev: {}\n`,
  ],
])("a file with %s gets the server", (_what, text, expected) => {
  expect(yamlEditor.set(text, server, file)).toBe(expected);
});

test("a server that stands there is changed and removed; its neighbours and their comments stay", () => {
  const old = '  my-tools:\n    cmd: old # mine\n    args: [\n      "x" ]\n';
  const text = `extensions:\n  # of a\n  a:\n    cmd: a # end\n${old}  # of b\n  b: { cmd: b }\n# of C\nC: 1\n`;
  expect(yamlEditor.remove(text, server, file)).toBe(text.replace(old, ""));
  const changed = yamlEditor.set(text, server, file);
  expect(changed).toBe(text.replace(old, "").replace("extensions:\n", `extensions:\n${lines}`));
  expect(yamlEditor.servers(changed, server, file)["my-tools"]).toEqual(server.entry);
});

test("without its last server the property stays a map", () => {
  const removed = yamlEditor.remove(`A: 1\nextensions:\n${lines}`, server, file) ?? "";
  expect(removed).toBe("A: 1\nextensions: {}\n");
  expect(parse(removed)).toEqual({ A: 1, extensions: {} });
  expect(yamlEditor.remove("A: 1\n", server, file)).toBeUndefined();
});

test.each([
  ["an open quote", 'A: "x\n', /config\.yaml is not valid YAML \(.*\)\. It was left as it is/],
  ["two equal keys", "A: 1\nA: 2\n", /not valid YAML \(.*unique/],
  ["two documents", "A: 1\n---\nB: 2\n", /not valid YAML/],
  ["a list", "- a\n", /does not hold a YAML mapping/],
  ["servers that are a list", "extensions: [a]\n", /"extensions" of config\.yaml does not hold servers by name/],
])("a file with %s is refused", (_what, text, sentence) => {
  expect(() => yamlEditor.set(text, server, file)).toThrow(sentence);
  expect(() => yamlEditor.remove(text, server, file)).toThrow(sentence);
});

test("servers on one line are left to their author", () => {
  const text = "extensions: { my-tools: { cmd: old }, b: {} }\n";
  expect(() => yamlEditor.set(text, server, file)).toThrow(/stands on one line\. It was left as it is/);
  expect(() => yamlEditor.remove(text, server, file)).toThrow(/stands on one line/);
});

test("a server of a list is changed and removed; its neighbours and their comments stay", () => {
  const added = { ...server, entry: { name: "my-tools", cmd: "node" } };
  const old = "  - cmd: old # mine\n    name: my-tools\n";
  const text = `extensions:\n  # of a\n  - name: a # end\n${old}  # of b\n  - { name: b }\n# of C\nC: 1\n`;
  expect(yamlListEditor.remove(text, added, file)).toBe(text.replace(old, ""));
  const item = '  - name: "my-tools"\n    cmd: "node"\n';
  const changed = yamlListEditor.set(text, added, file);
  expect(changed).toBe(text.replace(old, "").replace("extensions:\n", `extensions:\n${item}`));
  expect(yamlListEditor.set("", { ...added, needs: { A: 1 } }, file)).toBe(`A: 1\nextensions:\n${item}`);
  for (const last of [item, "  -\n    name: my-tools\n    x: a-b\n"])
    expect(yamlListEditor.remove(`extensions:\n${last}`, added, file)).toBe("extensions: []\n");
});

test.each([
  ["servers by name", "extensions: { a: {} }\n", /"extensions" of config\.yaml is not a list of servers/],
  ["one name twice", "extensions:\n  - name: my-tools\n  - name: my-tools\n", /without side effects/],
  ["a list on one line", "extensions: [{ name: my-tools }]\n", /stands on one line/],
])("a list with %s is refused", (_what, text, sentence) => {
  expect(() => yamlListEditor.set(text, server, file)).toThrow(sentence);
});
