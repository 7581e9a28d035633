#!/usr/bin/env node
import { join } from "node:path";
import { CommandError, cannotStartCode, hidePassword, runCommand, stdioOptions } from "@resumable-mcp/command-line";
import { parseFlags } from "@resumable-mcp/command-line/options";
import { cacheFolder, environment } from "./data-folder.js";
import { help } from "./flags.js";
import { serveModule } from "./serve-module.js";
import { commandWords, superviseCommand } from "./supervisor/supervise-command.js";

/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

// What a host waits for is in this file: a supervisor needs no other, and starts its server before it does anything else.
// It is built as CommonJS, which starts sooner; docs/decisions/0015.
const program = "resumable-mcp";

async function run(): Promise<void> {
  const { values, positionals } = parseFlags(process.argv.slice(2), stdioOptions);
  const [module, ...rest] = positionals;
  if (values.help === true || values.version === true) {
    process.stdout.write(values.help === true ? help(module === "all") : `${RESUMABLE_MCP_VERSION}\n`);
    return;
  }
  hidePassword("resumable-mcp-stdio", values.store);
  if ([values["print-config"], values.install, values.uninstall].some((host) => host !== undefined)) {
    const { runHostCommand } = await import("./hosts/host-command.js");
    return runHostCommand(program, module, values);
  }
  if (values.command !== undefined) {
    if (module !== undefined) throw new CommandError("Give a tools module or --command, not both.", 2);
    return superviseCommand(program, commandWords(values.command));
  }
  if (module === undefined || rest.length > 0)
    throw new CommandError("Name one tools module, as in resumable-mcp serve stdio ./tools.ts.", 2);
  if (values.supervise === false) {
    useCompileCache();
    return serveModule(program, module, values);
  }
  // This program again, to serve what it is asked to supervise.
  return superviseCommand(program, [process.execPath, ...process.argv.slice(1), "--no-supervise"], { cannotStartCode });
}

/** Node 22.8 and later keep compiled code; the folder is the user's own, since code that is written there runs here. */
function useCompileCache(): void {
  const enable: unknown = Reflect.get(process.getBuiltinModule("node:module"), "enableCompileCache");
  if (typeof enable === "function") enable(join(cacheFolder(environment()), "compile-cache"));
}

void runCommand(program, run);
