import type { ServerInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { draw } from "../../../test/draw.js";
import { fakeServer } from "../../../test/fake-client.js";
import { hostile, otherServer, twoServers } from "../../../test/odd-texts.js";
import { Header } from "./frame.js";

const down: ServerInfo = { address: fakeServer, state: { name: "down", known: true, reason: "connection refused" } };
const waiting: ServerInfo = {
  address: "https://mcp.example.com/team/tools/mcp",
  state: { name: "waiting", known: true, attempt: 3, nextDelayMs: 8000, reason: "HTTP 503" },
};
const shown = (servers: readonly ServerInfo[], columns: number, nowMs = 0) =>
  draw(<Header {...{ servers, columns, nowMs }} sinceMs={() => 0} />, { columns, rows: 1 })
    .frame()
    .lines.join("\n");

describe("the header", () => {
  it.each([40, 80, 120])("says at %i columns that there are no servers", (columns) => {
    expect(shown([], columns)).toBe(" resumable-mcp · no servers");
  });

  it("tells how each server stands where there is room", () => {
    expect(shown(twoServers, 80)).toBe(" resumable-mcp · work live · 127.0.0.1:8002 down: connection refused");
    expect(shown([...twoServers, waiting], 120)).toBe(
      " resumable-mcp · 1 of 3 servers live · 127.0.0.1:8002 down: connection refused",
    );
  });

  it("counts them where there is none, and its own name gives way before their trouble does", () => {
    expect([shown([...twoServers, waiting], 80), shown(twoServers, 40), shown([down], 40)]).toEqual([
      " resumable-mcp · 1 of 3 servers live · 127.0.0.1:8002 down: connection refused",
      " 1 of 2 servers live · 127.0.0.1:8002 d…",
      " 127.0.0.1:8001 down: connection refused",
    ]);
  });

  it("leaves out servers of earlier times that do not answer, but for those with a name and those that did answer", () => {
    const old: ServerInfo = { ...down, address: "http://127.0.0.1:22020/mcp", remembered: true };
    const never: ServerInfo = { ...old, state: { name: "down", known: false, reason: "connection refused" } };
    expect(shown([...twoServers, never], 80)).toBe(shown(twoServers, 80));
    expect(shown([never], 80)).toContain("127.0.0.1:22020 down");
    const kept = [old, { ...never, name: "work" }, { ...never, remembered: false }];
    for (const server of kept) expect(shown([...twoServers, server], 80)).toContain("of 3 servers");
  });

  it("says of a server that is out of reach when it will be tried again", () => {
    expect(shown([waiting], 80)).toBe(" resumable-mcp · mcp.example.com/team/tools/mcp reconnecting in 8s (attempt 3)");
    expect(shown([waiting], 80, 3_000)).toContain("reconnecting in 5s");
    expect(shown([waiting], 80, 9_000)).toContain("reconnecting in 0s");
  });

  it("draws nothing that a server could use to repaint the terminal", () => {
    const evil: ServerInfo = { address: otherServer, state: { name: "down", known: true, reason: hostile } };
    const command: ServerInfo = { address: `node ${hostile}.js`, state: { name: "idle", known: false } };
    expect(shown([evil], 80)).toBe(" resumable-mcp · 127.0.0.1:8002 down: evil next line");
    expect(shown([command], 80)).not.toContain("\u001b");
  });

  it("is set off from the screen without colour, over its whole width", () => {
    const { colored } = draw(
      <Header servers={[]} columns={40} sinceMs={() => 0} nowMs={0} />,
      { columns: 40, rows: 1 },
      { colors: true },
    );
    expect(colored()).toBe("{inverse} resumable-mcp · no servers             {/}");
  });
});
