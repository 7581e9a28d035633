import { afterAll, beforeAll, test } from "vitest";
import { type ServerUnderTest, startServer } from "../src/clients/server-under-test.js";
import { expectRight, rowsOf, rowTimeoutMs } from "./shown-rows.js";

let server: ServerUnderTest | undefined;
beforeAll(async () => {
  server = await startServer("stdio");
}, rowTimeoutMs);
afterAll(() => server?.close());

test.each(rowsOf("calls", "stdio"))(
  "G5 a client's call in flight at the kill ends right: %s",
  (_name, row) => expectRight(row, server),
  rowTimeoutMs,
);

test.each(rowsOf("questions", "stdio"))(
  "G9 a question that is open at the kill is asked once, and its answer arrives: %s",
  (_name, row) => expectRight(row, server),
  rowTimeoutMs,
);

test.each(rowsOf("eras", "stdio"))(
  "after a kill a task is found, read and finished by another client in the other era: %s",
  (_name, row) => expectRight(row, server),
  rowTimeoutMs,
);
