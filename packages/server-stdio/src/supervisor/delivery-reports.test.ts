import { metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { carriedResult } from "./delivery-reports.js";

test("a response carries the result of a completed task, also where another server's answer is an error", () => {
  const response = (status: string, isError: boolean) => ({
    jsonrpc: "2.0" as const,
    id: 1,
    result: { content: [], isError, _meta: { [metaKeys.taskId]: "t", [metaKeys.status]: status } },
  });
  const carried = { requestId: 1, taskId: "t" };
  expect(carriedResult(response("completed", false))).toEqual(carried);
  expect(carriedResult(response("completed", true))).toEqual(carried);
  expect(carriedResult(response("failed", true))).toBeUndefined();
});
