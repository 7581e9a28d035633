#!/usr/bin/env node
import { join } from "node:path";
import { cacheFolder, environment } from "./data-folder.js";
import { plainCommand } from "./plain-command.js";
import { ownServer, superviseCommand } from "./supervisor/supervise-command.js";

// What a host waits for is in this file: a supervisor needs no other, and starts its server before it does anything else.
// It is built as CommonJS, which starts sooner; docs/decisions/0020.
const program = "resumable-mcp-stdio";

async function run(args: readonly string[]): Promise<void> {
  const plain = plainCommand(args);
  if (plain === undefined) {
    const { runStdioCommand } = await import("./stdio-command.js");
    await runStdioCommand(program, args);
  } else if (plain.flags["no-supervise"] === true) {
    useCompileCache();
    const { serveModule } = await import("./serve-module.js");
    await serveModule(program, plain.module, plain.flags);
  } else {
    await superviseCommand(program, ownServer());
  }
}

/** Node 22.8 and later keep compiled code; the folder is the user's own, since code that is written there runs here. */
function useCompileCache(): void {
  const enable: unknown = Reflect.get(process.getBuiltinModule("node:module"), "enableCompileCache");
  if (typeof enable === "function") enable(join(cacheFolder(environment()), "compile-cache"));
}

void run(process.argv.slice(2));
