import { basename, extname, resolve } from "node:path";
import {
  CommandError,
  httpGroups,
  httpOptions,
  list,
  onStopSignal,
  runCommand,
  ungrouped,
  withSettings,
  wordsOf,
} from "@resumable-mcp/command-line";
import { helpText, parseFlags } from "@resumable-mcp/command-line/options";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { findFile } from "../command-line/run-program.js";
import { connectText } from "./connect-text.js";
import { startReloads } from "./reloads.js";
import { watchFiles } from "./watch-files.js";

const usage = `Usage: resumable-mcp dev MODULE [OPTIONS]

Serves a tools module over HTTP, and again whenever a file below the module's folder changes. Tasks in flight stop at their next
checkpoint and continue with the new code. Code that cannot be loaded is reported, and the previous code continues to serve.
Three options have other defaults: --recover-after now, versionWait 0ms, drainRetry 250ms.`;

const watch = list("DIR", "watch this folder instead of the module's");
const groups = { ...httpGroups, serving: { watch, ...httpGroups.serving } };

/** Serves a tools module until SIGINT, SIGTERM or SIGHUP, and reloads it when a file changes. */
export async function runDev(args: readonly string[]): Promise<void> {
  await runCommand("resumable-mcp dev", async () => {
    const { values, positionals } = parseFlags(args, ungrouped(groups));
    const [module, ...rest] = positionals;
    if (values.help === true) {
      process.stdout.write(helpText({ usage, groups }, module === "all"));
      return;
    }
    if (module === undefined || rest.length > 0)
      throw new CommandError("Name the tools module, as in resumable-mcp dev ./tools.ts.", 2);
    const { watch, ...given } = values;
    const {
      host = "127.0.0.1",
      path = "/mcp",
      store = ".resumable-mcp",
    } = await withSettings(httpOptions, module, given, process.env);
    process.env.RESUMABLE_MCP_DEV = "1";
    const say = (text: string) => void process.stderr.write(`${harmlessLines(text)}\n`);
    const reloads = startReloads({
      program: findFile({ package: "@resumable-mcp/server-http", bin: "resumable-mcp-http" }),
      args: [module, ...wordsOf(given)],
      say,
      onFirst(port) {
        // Not the server's own: the module would be loaded here, too, with all that it starts.
        const name = basename(module, extname(module));
        say(connectText(name, `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`));
      },
    });
    const folders = watch ?? [resolve(module, "..")];
    const close = watchFiles(folders, resolve(store), (file) => reloads.reload(file));
    onStopSignal(["SIGINT", "SIGTERM", "SIGHUP"], () => {
      void Promise.all([close(), reloads.stop()]).then(() => process.exit(0));
    });
  });
}
