import { expect, test } from "vitest";
import { route } from "./route.js";
import { suggestion } from "./suggestion.js";

const programOf = (line: string) => {
  const asked = route(line.split(" ").filter((word) => word !== ""));
  return asked.kind === "program" ? [asked.bin, ...asked.args].join(" ") : asked.kind;
};

test.each([
  ["serve http ./tools.ts --port 0", "resumable-mcp-http ./tools.ts --port 0"],
  ["serve stdio ./tools.ts", "resumable-mcp-stdio ./tools.ts"],
  ["install cursor ./tools.ts --yes", "resumable-mcp-stdio ./tools.ts --yes --install cursor"],
  ["uninstall cursor --name tools", "resumable-mcp-stdio --name tools --uninstall cursor"],
  ["store stats --json", "resumable-mcp-store stats --json"],
  ["call count n=3", "resumable-mcp-client call count n=3"],
  ["--url http://127.0.0.1:8001/mcp call count", "resumable-mcp-client --url http://127.0.0.1:8001/mcp call count"],
  ["", "resumable-mcp-client"],
  ["help call", "resumable-mcp-client call --help"],
  ["help serve http", "resumable-mcp-http --help"],
  ["help install", "install-help"],
  ["help serve", "help"],
  ["help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["dev ./tools.ts", "dev"],
  ["serve", "wrong"],
  ["install", "wrong"],
  ["help nothing", "wrong"],
])("%s becomes %s", (line, expected) => {
  expect(programOf(line)).toBe(expected);
});

test("a misspelt subcommand is answered with what is near it", () => {
  const answer = (line: string) => {
    const asked = route(line.split(" "));
    return asked.kind === "wrong" ? asked.problem + suggestion(asked.word, asked.known) : asked.kind;
  };
  const end = '"resumable-mcp help" lists the commands.';
  expect(answer("tsaks")).toBe(`There is no command tsaks. Did you mean tasks? ${end}`);
  expect(answer("server")).toBe(`There is no command server. Did you mean serve or servers? ${end}`);
  expect(answer("serve htp")).toBe(`Serve by http or stdio, not htp. Did you mean http? ${end}`);
  expect(answer("nonsense")).toBe(`There is no command nonsense. ${end}`);
});
