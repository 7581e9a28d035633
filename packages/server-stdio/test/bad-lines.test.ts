import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { afterwards, cli, testFolder, toolsModule } from "./stdio-host.js";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const lines = [
  "{",
  "[]",
  '"hello"',
  '{"id":1,"method":"ping"}',
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_to","arguments":{"n":${nested(50_000)}}}}`,
  '{"jsonrpc":"2.0","id":2,"method":"no/such"}',
  '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{}}',
  '{"jsonrpc":"2.0","id":4,"method":"ping"}',
  '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":[]}',
  '{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":"text"}}',
  '{"jsonrpc":"2.0","id":7,"method":7}',
  '{"jsonrpc":"2.0","id":8}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
];
/** Responses to nothing: they are not answered, and the lines after them are. */
const responses = ["7", "null", "[]", '{"toString":1}'].map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`);
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

test.each([
  ["by the server itself", ["--no-supervise"]],
  ["by its supervisor", []],
])(
  "invalid lines of the host are answered with what is wrong, and the connection continues: %s",
  async (_by, flags) => {
    const child = spawn(process.execPath, [cli, toolsModule, ...flags, "--store", await testFolder()]);
    afterwards(async () => child.kill("SIGKILL"));
    const answers: [number | null, number | undefined, string | undefined][] = [];
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, error } = JSON.parse(line);
      if (id === 0)
        child.stdin.write(
          `{"jsonrpc":"2.0","method":"notifications/initialized"}\n${[...responses, ...lines].join("\n")}\n`,
        );
      else answers.push([id, error?.code, error?.message]);
      if (answers.length === lines.length) break;
    }
    const noMessage = expect.stringMatching(/not a JSON-RPC 2\.0 message/);
    expect(answers).toHaveLength(lines.length);
    expect(answers).toEqual(
      expect.arrayContaining([
        [null, -32_700, expect.stringMatching(/the line is not JSON/)],
        [null, -32_600, noMessage],
        [1, -32_600, expect.stringMatching(/maxJsonDepth = 64/)],
        [2, -32_601, "Method not found"],
        [3, -32_602, expect.stringMatching(/^Invalid params: uri: /)],
        [4, undefined, undefined],
        ...[5, 6, 7, 8].map((id) => [id, -32_600, expect.stringMatching(/ malformed\.$/)]),
      ]),
    );
    expect(answers.filter(([id, code]) => id === null && code === -32_600)).toHaveLength(4);
  },
);
