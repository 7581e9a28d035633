import { expect, test } from "vitest";
import { serverActions } from "./run-in-terminal.js";

function fakeServer() {
  const server = {
    pid: 7 as number | undefined,
    kill: async () => {
      server.pid = undefined;
    },
    start: async () => {
      server.pid = 8;
    },
  };
  return server;
}

test("kills the server and starts it again, and says what the other key does", async () => {
  const [kill, restart] = serverActions(fakeServer());
  expect([kill?.key, restart?.key]).toEqual(["k", "r"]);
  expect(await kill?.run()).toBe(
    "Process 7 was killed with SIGKILL: r in the menu, or : elsewhere, starts the server again.",
  );
  expect(await kill?.run()).toBe("No server runs: r starts it.");
  expect(await restart?.run()).toBe("The server runs again (process 8): its tasks continue.");
  expect(await restart?.run()).toBe("The server runs already (process 8): k kills it.");
});
