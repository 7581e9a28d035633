import { expect, it } from "vitest";
import { serverLabel } from "./server-label.js";

it.each([
  ["http://127.0.0.1:8001/mcp", "127.0.0.1:8001"],
  ["https://example.com/", "example.com"],
  ["https://example.com/team/mcp", "example.com/team/mcp"],
  ["node --inspect /srv/tools/server.js --port 1", "server.js"],
  ["uvx weather", "uvx"],
  ["C:\\tools\\server.mjs", "server.mjs"],
  ["", ""],
  ["node \u001b[2Jserver.js", "server.js"],
])("a server at %j is told apart as %j", (address, label) => {
  expect(serverLabel(address)).toBe(label);
});
