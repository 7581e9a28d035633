import { expect, test } from "vitest";
import { isServerAway, storeFailure } from "./store-errors.js";

const driver = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });
const server = (code: string) => Object.assign(new Error("refused"), { code, severity: "FATAL" });

test.each([
  [driver("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED"), true],
  [driver("Connection terminated unexpectedly"), true],
  [driver("Client has encountered a connection error and is not queryable"), true],
  [driver("timeout exceeded when trying to connect"), true],
  [server("57P03"), true],
  // A pooler whose server is away says so.
  [server("08P01"), true],
  [server("28P01"), false],
  [server("3D000"), false],
  [driver("anything else"), false],
])("%s is waited for: %s", (error, isAway) => {
  expect(isServerAway(storeFailure(error, "read", "here"))).toBe(isAway);
});
