import { expect, test } from "vitest";
import { toFailure } from "../engine/retry-delay.js";
import { readRpcCode } from "./task-event.js";

const thrown = (code: unknown) => Object.assign(new Error("panic"), { code });

test("keeps the code of a thrown JSON-RPC error", () => {
  const failure = toFailure(thrown(-32_603));
  expect(failure).toEqual({ code: "JSON_RPC_-32603", message: "panic" });
  expect(readRpcCode(failure)).toBe(-32_603);
});

test.each([404, -32_769, -31_999, -32_603.5, "ENOENT", undefined])("takes the code %s for no JSON-RPC code", (code) => {
  const failure = toFailure(thrown(code));
  expect(failure.code).toBe("TOOL_FAILED");
  expect(readRpcCode(failure)).toBeUndefined();
});
