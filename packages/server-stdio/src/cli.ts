#!/usr/bin/env node
import { startEarly } from "./early-server.js";

const args = process.argv.slice(2);
const early = startEarly(args);
const [{ runCommand }, { runStdioCommand }] = await Promise.all([
  import("@resumable-mcp/mcp/command-line"),
  import("./stdio-command.js"),
]);
await runCommand("resumable-mcp-stdio", () => runStdioCommand(args, early));
