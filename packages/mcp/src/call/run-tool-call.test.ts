import { expect, test } from "vitest";
import { handoffMsFor } from "./run-tool-call.js";

const handoffMs = ({
  asked,
  option,
  host,
  toolMs,
}: {
  asked?: boolean | number;
  option?: boolean;
  host?: string;
  toolMs?: number;
}) => handoffMsFor({ meta: { handoff: asked }, handoff: option, host }, { handoffAfter: toolMs });

test("a server cannot know who may wait: without a reason no call is handed off", () => {
  expect(handoffMs({})).toBeUndefined();
  expect(handoffMs({ host: "some-client" })).toBeUndefined();
  expect(handoffMs({ host: "constructor" })).toBeUndefined();
});

test("a host with a known limit is handed off before it", () => {
  expect(handoffMs({ host: "claude-ai" })).toBe(45_000);
  expect(handoffMs({ host: "claude-ai", toolMs: 300_000 })).toBe(45_000);
  expect(handoffMs({ host: "claude-ai", toolMs: 5_000 })).toBe(5_000);
  expect(handoffMs({ host: "claude-ai", option: false })).toBeUndefined();
});

test.each([
  ["codex-mcp-client", 45_000],
  ["continue-cli-client", 45_000],
  ["pi", 45_000],
  ["@cline/core", 45_000],
  ["gemini-cli-mcp-client", 585_000],
  ["gemini-cli-mcp-client-my-server", 585_000],
  ["goose", 285_000],
  ["Zed", 45_000],
  ["JetBrains-IU-copilot-intellij", 22_500],
])("a result that comes within the limit of %s never waits for a hand-off", (host, latestMs) => {
  expect(handoffMs({ host })).toBe(latestMs);
  expect(handoffMs({ host, option: true })).toBe(latestMs);
  expect(handoffMs({ host, asked: true })).toBe(latestMs);
});

test.each(["claude-code", "Visual Studio Code", "cursor-vscode", "Windsurf", "zed", "my-goose", "codex-mcp-client-2"])(
  "nothing is assumed of %s, whose limit is not known",
  (host) => {
    expect(handoffMs({ host })).toBeUndefined();
    expect(handoffMs({ host, option: true })).toBe(45_000);
  },
);

test("what the call asks for wins", () => {
  expect(handoffMs({ asked: true })).toBe(45_000);
  expect(handoffMs({ asked: 0, option: false })).toBe(0);
  expect(handoffMs({ asked: false, option: true, host: "claude-ai" })).toBeUndefined();
  expect(handoffMs({ asked: true, toolMs: 7 })).toBe(7);
  expect(handoffMs({ option: true })).toBe(45_000);
});
