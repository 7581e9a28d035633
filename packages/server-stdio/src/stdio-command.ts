import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError, loadServer, oneOf, parseFlags, sentenceOf } from "@resumable-mcp/mcp/command-line";
import { createFsStore } from "@resumable-mcp/store-fs";
import { dataFolder, surroundings } from "./data-folder.js";
import { hostConfig, knownHosts } from "./host-config.js";
import { serveStdio } from "./serve-stdio.js";
import { splitCommand } from "./split-command.js";
import { supervise } from "./supervise.js";
import { supervisorLimits } from "./supervisor-limits.js";

const program = "resumable-mcp-stdio";
const usage = `Usage: ${program} <tools-module> [options]
       ${program} --command "node my-server.js"
  --store DIR            folder of the tasks (the user's data folder, by the server's name)
  --name NAME            name of the server, for its store and for --print-config
  --recover attached|all which tasks go on by themselves after a crash (attached)
  --handoff              answer long calls before the caller's time limit
  --no-supervise         serve in this process: a crash ends the connection
  --command COMMAND      supervise any stdio server; what is not annotated as idempotent is never repeated
  --print-config HOST    print what ${knownHosts.join(", ")} needs to start this server`;

const flags = {
  store: { type: "string" },
  name: { type: "string" },
  recover: { type: "string" },
  handoff: { type: "boolean" },
  "no-supervise": { type: "boolean" },
  command: { type: "string" },
  "print-config": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseFlags<typeof flags>>["values"];

/** The command-line program: serves a tools module, or supervises whatever serves. */
export async function runStdioCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseFlags(args, flags, usage);
  const [module, ...rest] = positionals;
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (values["print-config"] !== undefined) return printConfig(module, values);
  if (values.command !== undefined) {
    if (module !== undefined) throw new CommandError(`Give a tools module or --command, not both.\n${usage}`, 2);
    return runSupervised(splitCommand(values.command));
  }
  if (module === undefined || rest.length > 0) throw new CommandError(`Name one tools module.\n${usage}`, 2);
  if (values["no-supervise"] === true) return serveModule(module, values);
  return runSupervised([process.execPath, ownScript(), ...args, "--no-supervise"]);
}

async function serveModule(module: string, values: Values): Promise<void> {
  const definition = await loadServer(module);
  const directory = resolve(values.store ?? dataFolder(values.name ?? definition.name, surroundings()));
  const log = (error: unknown) => process.stderr.write(`${program}: ${sentenceOf(error)}\n`);
  process.on("unhandledRejection", log);
  await serveStdio({
    definition,
    store: createFsStore({ directory }),
    recover: oneOf("recover", values.recover ?? "attached", ["attached", "all"]),
    onError: log,
    drainTimeoutMs: supervisorLimits.drainTimeoutMs,
    ...(values.handoff === undefined ? {} : { handoff: values.handoff }),
  });
  process.exit(0);
}

async function runSupervised(command: readonly [string, ...string[]]): Promise<void> {
  const log = (message: string) => process.stderr.write(`${program}: ${message}\n`);
  const supervised = supervise({
    command,
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

async function printConfig(module: string | undefined, values: Values): Promise<void> {
  const host = oneOf("print-config", values["print-config"] ?? "", knownHosts);
  if (module === undefined) throw new CommandError(`Name the tools module to print the configuration of.\n${usage}`, 2);
  const definition = await loadServer(module);
  const name = values.name ?? definition.name;
  const store = resolve(values.store ?? dataFolder(name, surroundings()));
  const handoff = values.handoff === true ? ["--handoff"] : [];
  const args = [ownScript(), resolve(module), "--name", name, "--store", store, ...handoff];
  const { file, snippet } = hostConfig(host, { name, command: process.execPath, args });
  process.stderr.write(`Put this into ${file}:\n`);
  process.stdout.write(`${JSON.stringify(snippet, null, 2)}\n`);
}

/** The script that this program was started by. */
function ownScript(): string {
  return fileURLToPath(new URL("./cli.js", import.meta.url));
}
