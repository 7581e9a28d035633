import { basename, extname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CommandError, onStopSignal, runCommand } from "@resumable-mcp/command-line";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { fileOf } from "../command-line/run-program.js";
import { connectText } from "./connect-text.js";
import { startReloads } from "./reloads.js";
import { watchFiles } from "./watch-files.js";

const usage = `Usage: resumable-mcp dev MODULE [OPTIONS]

Serves a tools module over HTTP, and again whenever a file below the module's folder changes. Tasks in flight stop at their next
checkpoint and continue with the new code. Code that cannot be loaded is reported, and the previous code continues to serve.

  --watch DIR    watch this folder instead of the module's; may be repeated
  All options of "resumable-mcp serve http" are allowed. Three have other defaults: --recover-after now,
  --version-wait 0ms, --drain-retry 250ms.
`;

/** What this command reads itself. All else is for the server. */
const flags = {
  watch: { type: "string", multiple: true },
  store: { type: "string" },
  host: { type: "string" },
  path: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** A task does not wait: neither for its caller, who is not away, nor for a server with the previous code. */
const defaults = [
  ["--recover-after", "now"],
  ["--version-wait", "0ms"],
  ["--drain-retry", "250ms"],
] as const;

/** Serves a tools module until SIGINT, SIGTERM or SIGHUP, and reloads it when a file changes. */
export async function runDev(args: readonly string[]): Promise<void> {
  await runCommand("resumable-mcp dev", async () => {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: flags,
      allowPositionals: true,
      strict: false,
      tokens: true,
    });
    if (values.help === true) {
      process.stdout.write(usage);
      return;
    }
    const module = positionals.find((word) => /\.[cm]?[jt]s$/.test(word));
    if (module === undefined) throw new CommandError(`Name the tools module, such as ./tools.ts.\n${usage}`, 2);
    const own = new Set(tokens.filter((token) => token.kind === "option" && token.name === "watch").flatMap(wordsOf));
    const given = args.filter((_word, index) => !own.has(index));
    const missing = defaults.flatMap(([flag, value]) =>
      args.some((word) => word.startsWith(flag)) ? [] : [flag, value],
    );
    const stringOf = (name: "store" | "host" | "path", other: string) => {
      const value = values[name];
      return typeof value === "string" ? value : other;
    };
    const say = (text: string) => void process.stderr.write(`${harmlessLines(text)}\n`);
    const reloads = startReloads({
      program: fileOf({ package: "@resumable-mcp/server-http", bin: "resumable-mcp-http" }),
      args: [...given, ...missing],
      say,
      onFirst(port) {
        // Not the server's own: the module would be loaded here, too, with all that it starts.
        const name = basename(module, extname(module));
        const host = stringOf("host", "127.0.0.1");
        say(connectText(name, `http://${host.includes(":") ? `[${host}]` : host}:${port}${stringOf("path", "/mcp")}`));
      },
    });
    const folders = Array.isArray(values.watch) ? values.watch.map(String) : [resolve(module, "..")];
    const close = watchFiles(folders, resolve(stringOf("store", ".resumable-mcp")), (file) => reloads.reload(file));
    onStopSignal(["SIGINT", "SIGTERM", "SIGHUP"], () => {
      void Promise.all([close(), reloads.stop()]).then(() => process.exit(0));
    });
  });
}

/** The places of an option's words on the command line. */
function wordsOf(token: { readonly index: number; readonly kind: string; readonly inlineValue?: boolean | undefined }) {
  return token.inlineValue === true ? [token.index] : [token.index, token.index + 1];
}
