#!/usr/bin/env node
import { runCommandLine } from "./command-line/run-command-line.js";

// Whoever reads the output may stop early, as `head` does: that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
}

// A mistake of this program is told in a sentence, too; the way out gives the terminal back.
process.on("uncaughtException", (error) => {
  process.stderr.write(`Unexpected: ${error.message}. Your tasks go on; start again.\n`);
  process.exit(1);
});

const code = await runCommandLine(process.argv.slice(2), {
  version: "0.1.0",
  runUi: async (line) => {
    const { runTerminalUi } = await import("./run-terminal-ui.js");
    return runTerminalUi({
      ...(line.servers.length === 0 ? {} : { servers: line.servers }),
      ...(line.state === undefined ? {} : { stateFile: line.state }),
      onInterrupt: line.onInterrupt,
      ...(line.screenReader ? { screenReader: true } : {}),
    });
  },
});
// Connections that a server keeps half open must not keep the program alive.
process.exit(code);
