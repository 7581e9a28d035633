import { request2026 } from "../two-owners/raw-caller.js";
import { type BadCase, type Expected, maxBodyBytes, request, type World } from "./bad-case.js";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const tooDeep = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${nested(20_000)}}}`;

const bodies: readonly (readonly [title: string, body: string, ...expected: Expected])[] = [
  ["a body that is not JSON", "{", 400, -32_700, /not JSON/],
  ["an empty body", "", 400, -32_700, /not JSON/],
  ["a string", '"hello"', 400, -32_600, /JSON-RPC/],
  ["a message without jsonrpc", '{"id":1,"method":"tools/list"}', 400, -32_600, /JSON-RPC/],
  ["a message of JSON-RPC 1.0", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32_600, /JSON-RPC/],
  ["a request whose id is null", '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', 400, -32_600, /JSON-RPC/],
  ["a request whose id is an object", '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, -32_600, /JSON-RPC/],
  ["params that are an array", '{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}', 400, -32_600, /JSON-RPC/],
  ["a batch", `[${request("tools/list")},${request("ping")}]`, 400, -32_600, /batches are not supported/],
  ["an empty batch", "[]", 400, -32_600, /batch/],
  ["a body that nests too deep", tooDeep, 400, -32_600, /maxJsonDepth = 64/],
  ["a body over the limit", `"${"x".repeat(2 * maxBodyBytes)}"`, 413, -32_600, /maxBodyBytes = 100000/],
];

const toolsList = request2026("tools/list");
const eras = [
  { era: "2025", headersIn: ({ session }: World) => session, body: request("tools/list") },
  { era: "2026", headersIn: () => toolsList.headers, body: JSON.stringify(toolsList.message) },
] as const;

/** What is wrong in both eras alike. */
export const casesBoth: readonly BadCase[] = eras.flatMap(({ era, headersIn, body }): readonly BadCase[] => [
  ...bodies.map(([title, text, ...expected]): BadCase => {
    return [`${era}: ${title}`, (world) => ({ headers: headersIn(world), body: text }), ...expected];
  }),
  [
    `${era}: another Content-Type`,
    (world) => ({ headers: { ...headersIn(world), "content-type": "text/plain" }, body }),
    ...([415, -32_000, /Content-Type must be application\/json/] as const),
  ],
  [
    `${era}: a body in another charset`,
    (world) => ({ headers: { ...headersIn(world), "content-type": 'application/json; Charset="UTF-16"' }, body }),
    ...([415, -32_000, /UTF-8/] as const),
  ],
  [
    `${era}: a body that is encoded`,
    (world) => ({ headers: { ...headersIn(world), "content-encoding": "foo" }, body }),
    ...([415, -32_000, /without Content-Encoding/] as const),
  ],
  [
    `${era}: PUT`,
    (world) => ({ method: "PUT", headers: headersIn(world), body }),
    ...([405, -32_000, /Method not allowed/] as const),
  ],
]);
