import { HttpAnswer } from "@resumable-mcp/mcp";
import { ofWebRequest } from "@resumable-mcp/mcp/internal";
import { expect, test } from "vitest";
import { createLog, createRefusalLog, readStack } from "./log.js";

test("a line of the log holds no character that ends a line or steers a terminal (F15)", () => {
  const lines: string[] = [];
  createLog({ write: (line) => lines.push(line) })("warn", "a\u009bb\u2028c\u2029d\u007fe\nf\u202eg");
  expect(lines).toEqual([expect.stringMatching(/"message":"a\\u009bb\\u2028c\\u2029d\\u007fe\\nf\\u202eg"}\n$/)]);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: "a\u009bb\u2028c\u2029d\u007fe\nf\u202eg" });
});

test("a line has a limit, whatever a tool put into what it threw (G11)", () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const error = new Error(`The city ${"x".repeat(1_000_000)} is not known.`);
  log("warn", `The tool weather failed: ${error.message}`, { stack: readStack(error) });
  expect(lines.map(({ length }) => length < 8_000)).toEqual([true]);
  expect(readStack(Object.assign(new Error("odd"), { stack: 7 }))).toBe("");
});

test("refusals are logged with address and reason, and not more of them than the limit (F15)", () => {
  const seen: unknown[] = [];
  let nowMs = 0;
  const refused = createRefusalLog(
    (...entry) => seen.push(entry),
    2,
    () => nowMs,
  );
  const request = ofWebRequest(new Request("http://localhost/mcp", { method: "POST" }));
  const not = HttpAnswer.json({ error: { code: 1, message: 'No "quota"' } }, 429);
  refused(request, "192.0.2.1", new HttpAnswer(200));
  // A caller who closed the connection was not refused.
  refused(request, "192.0.2.1", new HttpAnswer(499));
  for (let times = 0; times < 5; times += 1) refused(request, "192.0.2.1", not);
  nowMs = 1_000;
  refused(request, undefined, new HttpAnswer(500, {}, `${"x".repeat(300)}`));
  const facts = { method: "POST", status: 429, address: "192.0.2.1", reason: 'No "quota"' };
  expect(seen).toEqual([
    ["warn", "refused", facts],
    ["warn", "refused", facts],
    ["error", "refused", { method: "POST", status: 500, reason: "x".repeat(200), leftOut: 3 }],
  ]);
});

test("a log holds entries of its level and above, as lines for people where it is asked to", () => {
  const lines: string[] = [];
  const log = createLog({ level: "warn", format: "text", write: (line) => lines.push(line) });
  log("info", "not written");
  log("warn", "refused\n\u009b31m", { status: 401, reason: "line\u2028end\u2066", id: undefined });
  const silent = createLog({ level: "silent", write: (line) => lines.push(line) });
  silent("error", "not written");
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\dT\S+Z WARN refused\\n\\u009b31m status=401 reason="line\\u2028end\\u2066"\n$/,
    ),
  ]);
});
