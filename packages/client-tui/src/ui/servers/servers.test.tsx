import type { ServerInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { drawPart, least, usual } from "../../../test/draw.js";
import { twoServers } from "../../../test/odd-texts.js";
import { keys } from "../../../test/open-screens.js";
import type { SeenServer } from "./server-lines.js";
import { Servers } from "./servers.js";

const problem =
  "No server answers at http://127.0.0.1:8002/mcp (connection refused). Start it first, or check host and port.";
const waiting: ServerInfo = {
  address: "https://mcp.example.com/team/日本語/mcp",
  state: { name: "waiting", known: true, attempt: 3, nextDelayMs: 8000, reason: "HTTP 503" },
};
const seen = (infos: readonly ServerInfo[]): readonly SeenServer[] =>
  infos.map((info) => {
    const { address: server } = info;
    const down = info.state.name === "down";
    const test = down
      ? { server, ok: false, problem }
      : { server, ok: true, milliseconds: 5, tools: 13, resumable: true };
    return { info, sinceMs: 0, test };
  });

function open(servers: readonly SeenServer[], size = usual, colors = false) {
  const list = <Servers servers={servers} {...size} rows={size.rows - 4} nowMs={0} onOutcome={() => {}} />;
  return drawPart(list, size, { colors });
}

describe("the list of servers", () => {
  const three = seen([...twoServers, waiting]);

  it("shows how each stands, and more of the one at the cursor", () => {
    expect(open(three).frame()).toMatchInlineSnapshot(`
      80×24
      │Servers
      │▸ + work  http://127.0.0.1:8001/mcp  live
      │  x http://127.0.0.1:8002/mcp  down: connection refused
      │  … mcp.example.com/team/%E6%97%A5%E6%9C%AC%E8%AA%9E/mcp  reconnecting in 8s (a…
      │
      │answers in 5 ms: 13 tools, its tasks can be resumed
      │session s-1
    `);
  });

  it("says the whole of what to try on a low and narrow screen", async () => {
    const list = open(three, least);
    list.press(keys.down);
    expect(await list.until("No server answers")).toMatchInlineSnapshot(`
      40×10
      │Servers
      │▸ x 127.0.0.1:8002  down: connection re…
      │No server answers at
      │http://127.0.0.1:8002/mcp (connection
      │refused). Start it first, or check host
      │and port.
    `);
  });

  it("keeps the cursor in sight among many", async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...waiting,
      address: `http://127.0.0.1:${9000 + index}/mcp`,
    }));
    const list = open(seen(many), least);
    list.press("\u001b[F");
    expect(await list.until("9059")).toMatchInlineSnapshot(`
      40×10
      │Servers
      │↑ … 127.0.0.1:9058  reconnecting in 8s …
      │▸ … 127.0.0.1:9059  reconnecting in 8s …
      │answers in 5 ms: 13 tools, its tasks can
      │be resumed
      │session none
    `);
  });

  it("says how to come to one where there is none", () => {
    expect(open([], least).frame().lines).toEqual([
      "Servers",
      "No servers. a adds one, i imports those",
      "of other programs.",
    ]);
  });

  it("shows its cursor by colour and by a mark", () => {
    const [, first, second] = open(three, usual, true).colored().split("\n");
    expect([first, second]).toEqual([
      "{inverse}▸ + work  http://127.0.0.1:8001/mcp  live{/}",
      "  x http://127.0.0.1:8002/mcp  down: connection refused",
    ]);
  });
});
