#!/usr/bin/env node
import { route } from "./command-line/route.js";
import { runProgram } from "./command-line/run-program.js";

/** The version of this package, which the build and the test runner put here. */
declare const RESUMABLE_MCP_VERSION: string;

const asked = route(process.argv.slice(2), process.stdin.isTTY && process.stdout.isTTY);
if (asked.kind === "program") {
  await runProgram(asked);
} else if (asked.kind === "version") {
  process.stdout.write(`${RESUMABLE_MCP_VERSION}\n`);
} else if (asked.kind === "wrong") {
  const { didYouMean } = await import("@resumable-mcp/command-line/options");
  const near = didYouMean(asked.word, asked.known);
  const { harmlessText } = await import("@resumable-mcp/protocol/display");
  const message = `${harmlessText(asked.problem)}${near} "resumable-mcp help" lists the commands.`;
  if (process.argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ error: { code: "USAGE", message } })}\n`);
  else process.stderr.write(`resumable-mcp: ${message}\n`);
  process.exitCode = 2;
} else if (asked.kind === "dev") {
  const { runDev } = await import("./dev/dev-command.js");
  await runDev(asked.args);
} else if (asked.kind === "bundle") {
  const { runBundle } = await import("./bundle/bundle-command.js");
  await runBundle(asked.args);
} else if (asked.kind === "doctor") {
  const { runDoctor } = await import("./doctor/doctor-command.js");
  await runDoctor(asked.args);
} else if (asked.kind === "wrap") {
  const { runWrap } = await import("./wrap/wrap-command.js");
  await runWrap(asked.args);
} else if (asked.kind === "no-terminal") {
  const { helpText } = await import("./command-line/subcommands.js");
  process.stderr.write(`The screens need a terminal. Name a command.\n\n${helpText}`);
  process.exitCode = 2;
} else {
  const { helpText, installHelp, serveHelp } = await import("./command-line/subcommands.js");
  process.stdout.write({ help: helpText, "install-help": installHelp, "serve-help": serveHelp }[asked.kind]);
}
