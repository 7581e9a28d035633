#!/usr/bin/env node
import { once } from "node:events";
import { runCommand } from "./run-command.js";

const args = process.argv.slice(2);
// A URL may hold a password, and every user of the machine can read the list of processes: a title replaces all arguments.
if (args.some((arg) => arg.includes("://"))) process.title = "resumable-mcp-store";

process.exitCode = await runCommand(args, {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
  write: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  },
  input: process.stdin,
});
