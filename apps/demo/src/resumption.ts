import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { openStreamCall, type StreamCall } from "@resumable-mcp/client";
import { parseFlags, runCommand } from "@resumable-mcp/mcp/command-line";
import { z } from "zod";

const usage = `Usage: node apps/demo/dist/resumption.js [options]
  --url URL      the server (http://127.0.0.1:8001/mcp)
  --cache FILE   what the first run leaves for the second (.session_cache)
  --city CITY    whose forecast (Seattle)`;

const flags = {
  url: { type: "string", default: "http://127.0.0.1:8001/mcp" },
  cache: { type: "string", default: ".session_cache" },
  city: { type: "string", default: "Seattle" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Long enough for a refusal to arrive, short enough for the forecast not to. */
const crashAfterMs = 1_000;

const cached = z.object({ session_id: z.string(), last_event_id: z.string() });

await runCommand("resumption", async () => {
  const { url, cache, city, help } = parseFlags(process.argv.slice(2), flags, usage).values;
  if (help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const call = await openStreamCall({ url, cacheFile: cache, tool: "get_forecast", arguments: { city } });
  if (call.resumed) return finish(call, cache);
  process.stdout.write(`Calling get_forecast of ${city} at ${url}, which takes 6 seconds …\n`);
  return crash(call, cache);
});

/** The first run: dies in the middle of the call. */
async function crash(call: StreamCall, cache: string): Promise<void> {
  const underWay = call.resumable.then(() => delay(crashAfterMs, undefined));
  const early = await Promise.race([underWay, call.result()]);
  // A forecast takes time: without any, the server refused.
  if (early !== undefined) throw new Error(early.text);
  process.stdout.write(`${cache} holds ${await describeCache(cache)}.\nCrashing now. Run me again.\n`);
  process.kill(process.pid, "SIGKILL");
}

/** The second run: sends no call; takes up the stream of the first. */
async function finish(call: StreamCall, cache: string): Promise<void> {
  process.stdout.write(`Found ${cache}: reconnecting with ${await describeCache(cache)} …\n`);
  const { text, structuredContent, isError } = await call.result();
  if (isError) throw new Error(text);
  const forecast = structuredContent?.forecast;
  process.stdout.write(`${typeof forecast === "string" ? forecast : text}\n`);
}

async function describeCache(cache: string): Promise<string> {
  const { session_id, last_event_id } = cached.parse(JSON.parse(await readFile(cache, "utf8")));
  return `Mcp-Session-Id ${session_id} and Last-Event-ID ${last_event_id}`;
}
