import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "@resumable-mcp/core";
import { runPackages } from "../program.js";
import type { ClientKind, ToolAnswer } from "./client-kind.js";
import { sentenceOf } from "./seen.js";
import type { Place } from "./server-under-test.js";

/** The Inspector needs Node 22 or later; the server under test runs on the Node that runs this. */
const packages = ["node@24.21.0", "@modelcontextprotocol/inspector@2.12.0"];
const [, inspector = ""] = packages;
const env = { ...process.env, npm_config_loglevel: "error", MCP_INSPECTOR_SECRET_STORE: "memory" };

/** The Inspector's command line: one process for one call. */
function inspectorKind(era: "legacy" | "auto" | "modern"): ClientKind {
  return {
    name: `\`${inspector.replace(/\.\d+$/, "").replace(/@(?=\d)/, "` ")} --cli, --protocol-era ${era}`,
    async open(place) {
      const folder = await mkdtemp(join(tmpdir(), "inspector-"));
      const config = join(folder, "mcp.json");
      await writeFile(config, JSON.stringify({ mcpServers: { clients: entryOf(place) } }));
      return {
        async call(tool, input, seen) {
          const args = ["--config", config, "--server", "clients", "--protocol-era", era, "--format", "json"];
          const call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(input)];
          const { stdout, stderr, exitCode } = await runPackages(
            packages,
            ["mcp-inspector", "--cli", ...args, ...call],
            { cwd: folder, env },
          );
          const answer = answerIn(stdout);
          if (answer === undefined) throw new Error(`exit code ${exitCode}: ${errorIn(stderr)}`);
          if (exitCode !== 0) seen.error(`exit code ${exitCode}`);
          return answer;
        },
        close: () => rm(folder, { recursive: true, force: true }),
      };
    },
  };
}

/** The Inspector's command line in each of its modes. */
export const inspectorClients = {
  era2025: inspectorKind("legacy"),
  auto: inspectorKind("auto"),
  era2026: inspectorKind("modern"),
};

function entryOf(place: Place): object {
  if (place.over === "stdio") return { type: "stdio", command: place.command, args: place.args };
  return { type: "http", url: place.url.href, headers: { Authorization: `Bearer ${place.token}` } };
}

/** The Inspector ends what it writes with an error as JSON. */
function errorIn(stderr: string): string {
  const last = stderr.trim().split("\n").at(-1) ?? "";
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(last)?.[1];
  return sentenceOf(message ?? last);
}

function answerIn(stdout: string): ToolAnswer | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    const result = isJsonObject(value) && isJsonObject(value.result) ? value.result : value;
    return isJsonObject(result) && "content" in result ? (result as ToolAnswer) : undefined;
  } catch {
    return undefined;
  }
}
