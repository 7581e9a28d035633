import { createMemoryStore } from "@resumable-mcp/core";
import { expect, test, vi } from "vitest";
import { countTool } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, openSession, post, readUntil } from "./http-endpoint.js";

test("a fresh call of the 2025 era reads its task at most three times, and notes that its result was delivered", async () => {
  const store = createMemoryStore();
  const reads = vi.spyOn(store, "getTask");
  const signals = vi.spyOn(store, "signal");
  const endpoint = await openEndpoint({ tools: [countTool()], store });
  const session = await openSession(endpoint.url);
  const response = await post(endpoint.url, countTo(3), session);
  await readUntil(eventsOf(response), ({ message }) => message !== undefined && "result" in message);
  await vi.waitFor(() => expect(signals.mock.calls.map(([, { kind }]) => kind)).toEqual(["delivered"]), {
    timeout: 20_000,
  });
  expect(reads.mock.calls.length).toBeLessThanOrEqual(3);
  await endpoint.close();
});
