import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { runPackages } from "../program.js";
import type { ClientKind } from "./client-kind.js";
import { sentenceOf } from "./seen.js";
import type { Place } from "./server-under-test.js";

/** From the registry when they are needed: Genkit brings 340 MB. */
const packages = ["@genkit-ai/mcp@1.42.0", "genkit@1.42.0", "@modelcontextprotocol/sdk@1.32.2"];
const script = fileURLToPath(new URL("../../dist/clients/genkit-call.js", import.meta.url));
const env = { ...process.env, npm_config_loglevel: "error" };

/** Genkit's client, which makes tools for its models of a server's: one process for one call. */
export const genkitClient: ClientKind = {
  name: "`@genkit-ai/mcp` 1.42",
  open: async (place) => ({
    async call(tool, input) {
      const words = [process.execPath, script, JSON.stringify(entryOf(place)), tool, JSON.stringify(input)];
      const run = await runPackages(packages, words, { cwd: tmpdir(), env });
      if (run.exitCode !== 0) throw new Error(`exit code ${run.exitCode}: ${sentenceOf(run.stderr)}`);
      return { structuredContent: JSON.parse(run.stdout) };
    },
    close: async () => {},
  }),
};

function entryOf(place: Place): object {
  if (place.over === "stdio") return { command: place.command, args: place.args };
  return { url: place.url.href, requestInit: { headers: { Authorization: `Bearer ${place.token}` } } };
}
