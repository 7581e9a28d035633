#!/usr/bin/env node
import { runCommand } from "@resumable-mcp/mcp/command-line";
import { runStdioCommand } from "./stdio-command.js";

await runCommand("resumable-mcp-stdio", () => runStdioCommand(process.argv.slice(2)));
