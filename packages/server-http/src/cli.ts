#!/usr/bin/env node
import { runCommand } from "@resumable-mcp/command-line";
import { runHttpCommand } from "./http-command.js";

await runCommand("resumable-mcp", () => runHttpCommand(process.argv.slice(2)));
