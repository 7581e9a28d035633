import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CommandError,
  httpGroups,
  httpOptions,
  oneOf,
  runCommand,
  stdioGroups,
  stdioOptions,
  type ValuesOf,
  wordsOf,
  wrapGroup,
} from "@resumable-mcp/command-line";
import { helpText, parseFlags } from "@resumable-mcp/command-line/options";
import { type NamedServers, nameOf, type ServerCommand, type ServerUrl, type WrapOptions } from "@resumable-mcp/wrap";
import { findFile, runProgram } from "../command-line/run-program.js";
import { askTrust } from "./ask-trust.js";
import { readMcpServers } from "./mcp-servers.js";
import { checkUrl, readHeaders } from "./server-url.js";

const usage = `Usage: resumable-mcp wrap [OPTIONS] -- COMMAND [ARGUMENT…]          over stdio, for a host's configuration
       resumable-mcp wrap http [OPTIONS] -- COMMAND [ARGUMENT…]     over HTTP
       resumable-mcp wrap --mcp-servers FILE [OPTIONS]              several servers as one
       resumable-mcp wrap install HOST SERVER [OPTIONS]             a server that a host has already
       resumable-mcp wrap uninstall HOST SERVER                     remove it again

Starts an MCP server, and puts each call of its tools into a task that survives the death of host, gateway and server.`;

/** Calls wait for their server and not for a slot: it knows best how many it takes. */
const manyAtOnce = "1024";

/** `resumable-mcp wrap`: serves the tools of another server, as a tools module that starts it. */
export function runWrap(args: readonly string[]): Promise<void> {
  return runCommand("resumable-mcp wrap", () => wrapServer(args));
}

async function wrapServer(args: readonly string[]): Promise<void> {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const [kind, ...others] = args.slice(0, end);
  if (kind === "install" || kind === "uninstall") return changeHost(kind, others);
  const isHttp = kind === "http";
  const words = isHttp || kind === "stdio" ? others : args.slice(0, end);
  const groups = { "the server": wrapGroup, ...(isHttp ? httpGroups : stdioGroups) };
  const options = isHttp ? { ...wrapGroup, ...httpOptions } : { ...wrapGroup, ...stdioOptions };
  const { values, positionals } = parseFlags(words, options);
  const {
    help,
    url,
    "header-file": headerFile,
    "mcp-servers": file,
    "pass-header": passed = [],
    "trust-annotations": trustAnnotations,
    repeat,
    shared,
    ...served
  } = values;
  if (help === true) {
    process.stdout.write(helpText({ usage, groups }, positionals[0] === "all"));
    return;
  }
  if (positionals.length > 0) throw new CommandError(`${positionals[0]} stands before --. ${howToName}`, 2);
  const server = await serverOf({ url, "header-file": headerFile, "mcp-servers": file }, args.slice(end + 1));
  if (passed.length > 0) checkPassed(server, isHttp);
  const upstream: WrapOptions = {
    // What the file says may change: its tasks stay where they are.
    ...{ ...server, name: file === undefined ? nameOf(server) : nameOf({ command: resolve(file) }) },
    ...(trustAnnotations !== undefined && { trustAnnotations }),
    ...(shared !== undefined && { shared }),
    repeat: Object.fromEntries((repeat ?? []).map(readRule)),
    passHeaders: passed.map((header) => header.toLowerCase()),
  };
  process.env.RESUMABLE_MCP_UPSTREAM = JSON.stringify(upstream);
  process.env.RESUMABLE_MCP_MAX_RUNNING ??= manyAtOnce;
  process.env.RESUMABLE_MCP_MAX_RUNNING_PER_OWNER ??= manyAtOnce;
  const module = fileURLToPath(import.meta.resolve("@resumable-mcp/wrap/module"));
  const name = isHttp ? {} : { name: upstream.name };
  await runProgram({
    kind: "program",
    package: isHttp ? "@resumable-mcp/server-http" : "@resumable-mcp/server-stdio",
    bin: isHttp ? "resumable-mcp-http" : "resumable-mcp-stdio",
    args: [module, ...wordsOf({ ...name, ...served })],
  });
}

const howToName =
  "Write the server's command after --, as in wrap -- npx -y @scope/server, or --url URL, or --mcp-servers FILE.";

/** @throws {@link CommandError} that says how a server is named. */
async function serverOf(
  {
    url,
    "header-file": headerFile,
    "mcp-servers": file,
  }: Pick<ValuesOf<typeof wrapGroup>, "url" | "header-file" | "mcp-servers">,
  [command, ...args]: readonly string[],
): Promise<ServerCommand | ServerUrl | NamedServers> {
  const ways = [url, file, command].filter((way) => way !== undefined);
  if (ways.length !== 1 || (headerFile !== undefined && url === undefined)) throw new CommandError(howToName, 2);
  if (file !== undefined) return { servers: await readMcpServers(file) };
  if (url === undefined) return { command: command ?? "", args };
  checkUrl("--url", url, headerFile !== undefined);
  return { url, headers: headerFile === undefined ? {} : await readHeaders(headerFile) };
}

/** @throws {@link CommandError} where a header of callers has no way, or an open one. */
function checkPassed(server: ServerCommand | ServerUrl | NamedServers, isHttp: boolean): void {
  const servers = "servers" in server ? Object.values(server.servers) : [server];
  const urls = servers.flatMap((one) => ("url" in one ? [one.url] : []));
  if (!isHttp || urls.length === 0)
    throw new CommandError("--pass-header needs callers over HTTP and a server by URL: wrap http --url URL.", 2);
  for (const url of urls) checkUrl("--pass-header", url, true);
}

/** Options of the gateway go into the host's file as they were given. */
async function changeHost(what: "install" | "uninstall", args: readonly string[]): Promise<void> {
  const { values, positionals } = parseFlags(args, { ...wrapGroup, ...stdioOptions });
  const [host, name, ...others] = positionals;
  if (values.help === true) return void process.stdout.write(`${usage}\n`);
  if (host === undefined || name === undefined || others.length > 0)
    throw new CommandError(`Name the host and the server, as in wrap ${what} claude-desktop github.`, 2);
  if ((values.url ?? values["mcp-servers"] ?? values["header-file"]) !== undefined)
    throw new CommandError(
      `The host's file says how ${name} is started: leave out --url, --mcp-servers and --header-file.`,
      2,
    );
  const { scope, config, yes, ...passed } = values;
  const rules = (values.repeat ?? []).map(readRule);
  const script = findFile({ package: "resumable-mcp", bin: "resumable-mcp" });
  const { changeWrapped } = await import("@resumable-mcp/server-stdio/hosts");
  await changeWrapped(
    what,
    { host, name },
    {
      ...{ scope, config, yes, gateway: [script, ...wordsOf(passed)] },
      more: async (start, questions) =>
        values["trust-annotations"] === true
          ? []
          : askTrust({ name, start, ruled: rules.map(([tool]) => tool) }, questions),
    },
  );
}

function readRule(rule: string): readonly [string, "always" | "never"] {
  const at = rule.lastIndexOf("=");
  return [rule.slice(0, at), oneOf(`repeat ${rule.slice(0, at)}`, rule.slice(at + 1), ["always", "never"])];
}
