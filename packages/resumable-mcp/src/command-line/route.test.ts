import { expect, test } from "vitest";
import { route } from "./route.js";

const programOf = (line: string) => {
  const asked = route(
    line.split(" ").filter((word) => word !== ""),
    true,
  );
  return asked.kind === "program" ? [asked.bin, ...asked.args].join(" ") : asked.kind;
};

test.each([
  ["serve http ./tools.ts --port 0", "resumable-mcp-http ./tools.ts --port 0"],
  ["serve stdio ./tools.ts", "resumable-mcp-stdio ./tools.ts"],
  ["install cursor ./tools.ts --yes", "resumable-mcp-stdio ./tools.ts --yes --install cursor"],
  ["uninstall cursor --name tools", "resumable-mcp-stdio --name tools --uninstall cursor"],
  ["store check --json", "resumable-mcp-store check --json"],
  ["stats --store tasks --json", "resumable-mcp-store stats --store tasks --json"],
  ["show id --store=tasks", "resumable-mcp-store show id --store=tasks"],
  ["answer id --store tasks", "wrong"],
  ["stats --json", "resumable-mcp-client stats --json"],
  ["store show id", "wrong"],
  ["call count n=3", "resumable-mcp-client call count n=3"],
  ["--url http://127.0.0.1:8001/mcp call count", "resumable-mcp-client --url http://127.0.0.1:8001/mcp call count"],
  ["", "resumable-mcp-client"],
  ["help call", "resumable-mcp-client call --help"],
  ["help serve http", "resumable-mcp-http --help"],
  ["help install", "install-help"],
  ["help serve", "serve-help"],
  ["serve --help", "serve-help"],
  ["delete id", "resumable-mcp-client delete id"],
  ["help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["dev ./tools.ts", "dev"],
  ["doctor", "doctor"],
  ["help doctor", "doctor"],
  ["serve", "wrong"],
  ["install", "wrong"],
  ["help nothing", "wrong"],
])("%s becomes %s", (line, expected) => {
  expect(programOf(line)).toBe(expected);
});

test("without a command and a terminal there is the help of all, and why", () => {
  expect(route([], false)).toEqual({ kind: "no-terminal" });
});

test("a misspelt subcommand is answered with the words among which it may be one", () => {
  const answer = (line: string) => {
    const asked = route(line.split(" "), true);
    return asked.kind === "wrong" ? [asked.problem, asked.word, asked.known] : asked.kind;
  };
  const commands = expect.arrayContaining(["serve", "servers", "tasks"]);
  expect(answer("tsaks")).toEqual(["There is no command tsaks.", "tsaks", commands]);
  expect(answer("serve htp")).toEqual(["Serve by http or stdio, not htp.", "htp", ["http", "stdio"]]);
});
