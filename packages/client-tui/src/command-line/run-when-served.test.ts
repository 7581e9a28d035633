import type { Client, ServerInfo } from "@resumable-mcp/client";
import { describe, expect, it, vi } from "vitest";
import { TimeOverError } from "./exit-code.js";
import { runWhenServed } from "./run-when-served.js";

const never = new Promise<never>(() => undefined);
const refused = () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED", address: "127.0.0.1" });
  return new Error("No server answers.", { cause });
};
const server = (address: string, known: boolean): ServerInfo => ({
  address,
  state: known ? { name: "connected", known, attempt: 0 } : { name: "down", known, reason: "connection refused" },
  name: undefined,
  sessionId: undefined,
});

/** Runs a command that fails at first; how it was run, and how it ended. */
async function runs(failures: readonly Error[], options: { servers?: ServerInfo[]; waitMs?: number }) {
  const left = [...failures];
  let attempts = 0;
  const notes: string[] = [];
  const client: Pick<Client, "servers"> = {
    servers: () => options.servers ?? [server("http://127.0.0.1:1/mcp", false)],
  };
  const command = async () => {
    attempts++;
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return 0;
  };
  const wait = { client, waitMs: options.waitMs ?? 10_000, over: never, note: (text: string) => notes.push(text) };
  const end = await runWhenServed(command, wait).catch((error: Error) => error.message);
  return { end, attempts, notes };
}

describe("a command whose server is refused by this machine", () => {
  it("runs again until the server answers, and says once that it waits", async () => {
    expect(await runs([refused(), refused()], {})).toEqual({
      end: 0,
      attempts: 3,
      notes: [
        "No server answers at http://127.0.0.1:1/mcp yet. Waiting up to 10 s for a server that is starting. Ctrl-C leaves.",
      ],
    });
  });

  it("says once that a server has not answered yet, and not when it has", async () => {
    vi.useFakeTimers();
    try {
      const notes: string[] = [];
      const states: ServerInfo["state"][] = [{ name: "connecting", known: false, attempt: 1 }];
      const servers = () => states.map((state) => ({ address: "http://127.0.0.1:1/mcp", state }));
      const wait = { client: { servers }, waitMs: 0, over: never, note: (text: string) => notes.push(text) };
      let end: (code: number) => void = () => undefined;
      const command = () => new Promise<number>((resolve) => (end = resolve));
      const ran = runWhenServed(command, wait);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(notes).toEqual(["http://127.0.0.1:1/mcp has not answered yet. Its process may be busy. Ctrl-C leaves."]);
      end(0);
      expect(await ran).toBe(0);
      states[0] = { name: "connected", known: true, attempt: 0 };
      void runWhenServed(command, wait);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(notes).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("fails after as many attempts as the time allows", async () => {
    const { end, attempts } = await runs([refused(), refused(), refused(), refused()], { waitMs: 500 });
    expect([end, attempts]).toEqual(["No server answers.", 3]);
  });

  it.each([
    ["without time to wait", [refused()], { waitMs: 0 }],
    ["where another server has answered", [refused()], { servers: [server("a", false), server("b", true)] }],
    ["for another reason", [new Error("No server answers.", { cause: new Error("no such host") })], {}],
  ])("fails at once %s", async (_when, failures, options) => {
    expect(await runs(failures, options)).toEqual({ end: "No server answers.", attempts: 1, notes: [] });
  });

  it("fails with the refusal where the time of the whole command ends meanwhile", async () => {
    let end: (error: Error) => void = () => undefined;
    const over = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const note = () => end(new TimeOverError("over"));
    const tries = { client: { servers: () => [] }, waitMs: 1_000, over, note };
    await expect(runWhenServed(() => Promise.reject(refused()), tries)).rejects.toThrow("No server answers.");
  });
});
