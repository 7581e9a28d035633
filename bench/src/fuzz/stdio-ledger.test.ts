import { expect, test } from "vitest";
import { answerTo, StdioLedger } from "./stdio-ledger.js";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}', "1"],
  ['{"jsonrpc":"2.0","id":"1","method":"ping","params":{}}', '"1"'],
  ['{"jsonrpc":"2.0","id":1,"method":7}', "1"],
  ['{"jsonrpc":"2.0","id":1}', "1"],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "null"],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', "null"],
  ['{"jsonrpc":"2.0","method":"ping","params":[]}', "null"],
  [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${nested(300)}}}`, "1"],
  [`{"jsonrpc":"2.0","id":1,"result":{"a":${nested(64)}}}`, "1"],
  [`{"jsonrpc":"2.0","id":1,"result":{"a":${nested(63)}}}`, undefined],
  ['{"id":1,"method":"ping"}', "null"],
  ["[]", "null"],
  ["{", "null"],
  ['{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined],
  ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
  ['{"jsonrpc":"2.0","id":{},"error":{}}', undefined],
])("the answer to %s has the id %s", (line, id) => {
  expect(answerTo(line)).toBe(id);
});

test("a request that is answered twice, and one that is not, are found", () => {
  const ledger = new StdioLedger();
  const lines = [1, 2, 3].map((id) => ({ index: id, text: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` }));
  for (const line of lines) ledger.wrote(line);
  expect(ledger.heard(1)).toBeUndefined();
  expect(ledger.heard(1)).toBe("answer 2 to 1, which has 1 requests");
  expect(ledger.heard("7")).toBe('answer 1 to "7", which has 0 requests');
  expect(ledger.missing).toEqual(lines.slice(1));
  ledger.mayStayOpen(2);
  expect(ledger.missing).toEqual(lines.slice(2));
});
