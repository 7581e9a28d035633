#!/usr/bin/env node
import { plainCommand } from "./plain-command.js";
import { ownServer } from "./server-process.js";
import { superviseCommand } from "./supervise-command.js";

// What a host waits for is in this file: a supervisor needs no other, and starts its server before it does anything else.
const program = "resumable-mcp-stdio";
const args = process.argv.slice(2);
const plain = plainCommand(args);
if (plain === undefined) {
  const { runStdioCommand } = await import("./stdio-command.js");
  await runStdioCommand(program, args);
} else if (plain.flags["no-supervise"] === true) {
  const { serveModule } = await import("./serve-module.js");
  await serveModule(program, plain.module, plain.flags);
} else {
  await superviseCommand(program, ownServer(args));
}
