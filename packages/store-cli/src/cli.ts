#!/usr/bin/env node
import { once } from "node:events";
import { runCommand } from "./run-command.js";

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
  write: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  },
  input: process.stdin,
});
