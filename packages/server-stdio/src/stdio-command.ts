import {
  CommandError,
  parseFlags,
  quotaFlags,
  quotaUsage,
  recoverAfterUsage,
  runCommand,
} from "@resumable-mcp/mcp/command-line";
import { hostFlags, hostUsage, isAboutHost } from "./hosts/host-config.js";
import { commandWords, ownServer, superviseCommand } from "./supervisor/supervise-command.js";

/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

/** The version of this package, and of all packages that are released with it. */
const packageVersion = RESUMABLE_MCP_VERSION;

const usage = `Usage: resumable-mcp-stdio <tools-module> [options]
       resumable-mcp-stdio --command "node my-server.js"
  --store DIR            folder of the tasks (the user's data folder, by the server's name)
  --name NAME            name of the server, for its store and for its host
${recoverAfterUsage}
  --handoff              answer long calls before the caller's time limit
${quotaUsage}
  --no-supervise         serve in this process: a crash ends the connection
  --command COMMAND      supervise any stdio server; what is not annotated as idempotent is never repeated
${hostUsage}
  --version              print the version of this program`;

const flags = {
  store: { type: "string" },
  name: { type: "string" },
  "recover-after": { type: "string" },
  handoff: { type: "boolean" },
  "no-supervise": { type: "boolean" },
  command: { type: "string" },
  ...quotaFlags,
  ...hostFlags,
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** The whole command-line program: whatever it was asked for. */
export function runStdioCommand(program: string, args: readonly string[]): Promise<void> {
  return runCommand(program, () => runArguments(program, args));
}

async function runArguments(program: string, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseFlags(args, flags, usage);
  const [module, ...rest] = positionals;
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (values.version === true) {
    process.stdout.write(`${packageVersion}\n`);
    return;
  }
  if (isAboutHost(values)) {
    const { runHostCommand } = await import("./hosts/host-command.js");
    return runHostCommand(module, values, usage);
  }
  if (values.command !== undefined) {
    if (module !== undefined) throw new CommandError(`Give a tools module or --command, not both.\n${usage}`, 2);
    return superviseCommand(program, commandWords(values.command));
  }
  if (module === undefined || rest.length > 0) throw new CommandError(`Name one tools module.\n${usage}`, 2);
  if (values["no-supervise"] === true) {
    const { serveModule } = await import("./serve-module.js");
    return serveModule(program, module, values);
  }
  return superviseCommand(program, ownServer());
}
