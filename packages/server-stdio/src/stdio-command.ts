import { CommandError, parseFlags } from "@resumable-mcp/mcp/command-line";
import { type ServerProcess, serverArguments } from "./early-server.js";
import { hostFlags, hostUsage, isAboutHost } from "./hosts/host-flags.js";
import { splitCommand } from "./split-command.js";
import { supervise } from "./supervise.js";
import { supervisorLimits } from "./supervisor-limits.js";

const program = "resumable-mcp-stdio";
const usage = `Usage: ${program} <tools-module> [options]
       ${program} --command "node my-server.js"
  --store DIR            folder of the tasks (the user's data folder, by the server's name)
  --name NAME            name of the server, for its store and for its host
  --recover attached|all which tasks go on by themselves after a crash (attached)
  --handoff              answer long calls before the caller's time limit
  --no-supervise         serve in this process: a crash ends the connection
  --command COMMAND      supervise any stdio server; what is not annotated as idempotent is never repeated
${hostUsage}`;

const flags = {
  store: { type: "string" },
  name: { type: "string" },
  recover: { type: "string" },
  handoff: { type: "boolean" },
  "no-supervise": { type: "boolean" },
  command: { type: "string" },
  ...hostFlags,
  help: { type: "boolean", short: "h" },
} as const;

/**
 * The command-line program: serves a tools module, or supervises whatever serves.
 *
 * @param early the process of the server that is to be supervised, where it was started before this was loaded.
 */
export async function runStdioCommand(args: readonly string[], early?: ServerProcess): Promise<void> {
  const { values, positionals } = parseFlags(args, flags, usage);
  const [module, ...rest] = positionals;
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (isAboutHost(values)) {
    // What edits files is loaded only here: a host waits for every start of a server.
    const { runHostCommand } = await import("./hosts/host-command.js");
    return runHostCommand(module, values, usage);
  }
  if (values.command !== undefined) {
    if (module !== undefined) throw new CommandError(`Give a tools module or --command, not both.\n${usage}`, 2);
    return runSupervised(splitCommand(values.command));
  }
  if (module === undefined || rest.length > 0) throw new CommandError(`Name one tools module.\n${usage}`, 2);
  if (values["no-supervise"] === true) {
    // Only here: a supervisor needs none of it.
    const { serveModule } = await import("./serve-module.js");
    return serveModule(program, module, values);
  }
  return runSupervised([process.execPath, ...serverArguments(args)], early);
}

async function runSupervised(command: readonly [string, ...string[]], early?: ServerProcess): Promise<void> {
  const log = (message: string) => process.stderr.write(`${program}: ${message}\n`);
  const supervised = supervise({
    command,
    ...(early && { early }),
    input: process.stdin,
    output: process.stdout,
    limits: supervisorLimits,
    log,
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => supervised.stop());
  const how = await supervised.ended;
  if (how.kind === "cannot_start") process.exit(how.exitCode);
  process.exit(how.kind === "gave_up" ? 1 : 0);
}
