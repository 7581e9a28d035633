import { ResumableError } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { asRpcError } from "./rpc-error.js";

test.each([
  [new ResumableError("INVALID_VALUE", "It does not fit.", { details: { what: "input", problems: [] } }), -32_602],
  [new ResumableError("TASK_NOT_FOUND", "There is none.", { details: { taskId: "t" } }), -32_602],
  [new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details: { path: "/p", reason: "" } }), -32_603],
  [new ResumableError("TASK_CORRUPT", "It is damaged.", { details: { path: "/p", taskId: "t" } }), -32_603],
  [new ResumableError("DRAINING", "The server stops.", { details: {} }), -32_603],
])("an error that the request causes is -32602, and a failure of the server -32603: %s", (error, code) => {
  expect(asRpcError(error)).toMatchObject({ code, message: error.message, data: { code: error.code } });
});

test("an unexpected error tells the caller nothing of what is inside", () => {
  expect(asRpcError(new Error("/secret"))).toMatchObject({
    code: -32_603,
    message: "The server failed to carry out the request. Its log says more.",
  });
});
