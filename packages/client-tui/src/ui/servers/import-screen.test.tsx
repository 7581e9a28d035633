import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { least, usual } from "../../../test/draw.js";
import { named, typed } from "../../../test/key-presses.js";
import { keys, openScreens } from "../../../test/open-screens.js";
import type { HostServer } from "../../hosts/host-servers.js";
import { reduceImport } from "./import-screen.js";

/** A machine on which one program has these servers, or a file that is none. */
async function machineWith(servers: Readonly<Record<string, unknown>> | string) {
  const home = await mkdtemp(join(tmpdir(), "hosts-"));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  });
  for (const name of ["HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"]) vi.stubEnv(name, home);
  await mkdir(join(home, ".cursor"));
  const text = typeof servers === "string" ? servers : JSON.stringify({ mcpServers: servers });
  await writeFile(join(home, ".cursor", "mcp.json"), text);
}

async function openImport(size = usual) {
  const screen = openScreens([], { size });
  await screen.go(["process data", "5"], ["answers in", "i"]);
  await screen.until("Servers of other programs");
  return screen;
}

describe("the servers of other programs", () => {
  const some = {
    weather: { url: "http://127.0.0.1:9000/mcp" },
    数える: { command: "node", args: ["count.js"] },
    "\u001b[2Jevil": { url: "http://127.0.0.1:9001/mcp" },
    broken: { type: "carrier-pigeon" },
  };

  it("are listed with program, name and address, or with what is wrong with them", async () => {
    await machineWith(some);
    const screen = await openImport();
    expect(await screen.until("weather")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Servers of other programs
      │▸ cursor/weather  http://127.0.0.1:9000/mcp
      │  cursor/数える  node count.js
      │  cursor/evil  http://127.0.0.1:9001/mcp
      │  cursor/broken  it names neither a command nor a URL
      ⋮ 16 empty lines
      │Enter import · ↑↓ move · Esc back
    `);
  });

  it("are cut on a narrow screen", async () => {
    await machineWith(some);
    expect((await (await openImport(least)).until("weather")).lines[2]).toBe(
      "▸ cursor/weather  http://127.0.0.1:9000…",
    );
  });

  it("keep the cursor in sight where they are many", async () => {
    const many = Array.from({ length: 40 }, (_, index) => [
      `s${index}`,
      { url: `http://127.0.0.1:${9000 + index}/mcp` },
    ]);
    await machineWith(Object.fromEntries(many));
    const screen = await openImport(least);
    await screen.go(["s0", "\u001b[F"]);
    expect((await screen.until("s39")).lines.slice(2, 8).at(-2)).toBe("▸ cursor/s39  http://127.0.0.1:9039/mcp");
  });

  it("say what to do where there are none", async () => {
    await machineWith({});
    expect(await (await openImport(least)).until("No MCP servers")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Servers of other programs
      │No MCP servers found in Claude, Cursor
      │or VS Code. Press Esc, then a to add
      │one.
      ⋮ 3 empty lines
      │Enter import · ↑↓ move · Esc back
    `);
  });

  it("say which file was left out, and why", async () => {
    await machineWith("{ broken");
    await (await openImport()).until("was skipped");
  });

  it("are taken over by Enter", async () => {
    await machineWith({ weather: { url: "http://127.0.0.1:9000/mcp" } });
    const screen = await openImport();
    await screen.go(["weather", keys.enter]);
    await screen.until("weather: added");
    expect(screen.said).toEqual(['addServer {"url":"http://127.0.0.1:9000/mcp"} weather']);
  });
});

describe("keys on the servers of other programs", () => {
  const servers: readonly HostServer[] = ["one", "two"].map((name) => ({ host: "cursor", name, file: "mcp.json" }));

  it("choose the one at the cursor, and none by Escape and q", () => {
    const { state } = reduceImport({ cursor: 0 }, named("down"), servers);
    expect(reduceImport(state, named("enter"), servers).outcome).toEqual(servers[1]);
    expect([reduceImport(state, named("escape"), servers), reduceImport(state, typed("q"), servers)]).toEqual([
      { state, outcome: "back" },
      { state, outcome: "back" },
    ]);
  });

  it("mean nothing where there is no server", () => {
    expect(reduceImport({ cursor: 0 }, named("enter"), [])).toEqual({ state: { cursor: 0 } });
  });
});
