import { describe, expect, it } from "vitest";
import { fakeServer } from "../../../test/fake-client.js";
import { hostile } from "../../../test/odd-texts.js";
import { serverDetails, serverLine } from "./server-lines.js";

const info = { address: fakeServer, name: "work", state: { name: "connected", known: true, attempt: 0 } } as const;

describe("a server's line", () => {
  const waiting = { name: "waiting", known: true, attempt: 3, nextDelayMs: 8000, reason: "HTTP 503" } as const;
  const line = (passedMs: number) =>
    serverLine({ info: { address: fakeServer, state: waiting }, sinceMs: 1000 }, 1000 + passedMs, 80);

  it("counts down to the next attempt", () => {
    expect([line(0), line(6500), line(9000)].map((text) => text.match(/in (\d+s)/)?.[1])).toEqual(["8s", "2s", "0s"]);
    expect(line(0)).toBe(`… ${fakeServer}  reconnecting in 8s (attempt 3): HTTP 503`);
  });

  it("has the whole address where there is room, and what one tells it apart by where there is none", () => {
    const at = (columns: number) => serverLine({ info, sinceMs: 0 }, 0, columns);
    expect([at(40), at(38), at(20)]).toEqual([
      "+ work  http://127.0.0.1:8001/mcp  live",
      "+ work  127.0.0.1:8001  live",
      "+ work  127.0.0.1:8…",
    ]);
  });

  it("has a mark that reads without colour", () => {
    const states = [
      { name: "connected", known: true, attempt: 0 },
      { name: "connecting", known: false, attempt: 1 },
      { name: "idle", known: false },
      { name: "down", known: true, reason: "gone" },
    ] as const;
    const lines = states.map((state) => serverLine({ info: { address: "node a.js", state }, sinceMs: 0 }, 0, 80));
    expect(lines).toEqual([
      "+ node a.js  live",
      "… node a.js  connecting",
      "… node a.js  not contacted yet",
      "x node a.js  down: gone",
    ]);
  });
});

describe("what is said of a server", () => {
  const details = (test?: Parameters<typeof serverDetails>[0]["test"]) => serverDetails({ info, test, sinceMs: 0 });

  it("is what it answered, or what to try", () => {
    const answer = { server: fakeServer, ok: true, milliseconds: 5 };
    expect([
      details(),
      details(answer),
      details({ ...answer, tools: 1, resumable: true }),
      details({ ...answer, tools: 2, resumable: false }),
      details({ server: fakeServer, ok: false, problem: "Start it first." }),
    ]).toEqual([
      ["Enter tests it.", "session none"],
      ["answers in 5 ms", "session none"],
      ["answers in 5 ms: 1 tool, its tasks can be resumed", "session none"],
      ["answers in 5 ms: 2 tools, its calls cannot be resumed", "session none"],
      ["Start it first.", "session none"],
    ]);
  });

  it("draws nothing that a server could use to repaint the terminal", () => {
    const evil = { info: { ...info, sessionId: hostile }, sinceMs: 0 };
    expect(serverDetails({ ...evil, test: { server: fakeServer, ok: false, problem: hostile } })).toEqual([
      "evil next line",
      "session evil next line",
    ]);
  });
});
