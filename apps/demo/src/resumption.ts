import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { isClientError, openStreamCall, type StreamCall } from "@resumable-mcp/client";
import { z } from "zod";

const { url, cache, city } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8001/mcp" },
    cache: { type: "string", default: ".session_cache" },
    city: { type: "string", default: "Seattle" },
  },
}).values;

const cached = z.object({ session_id: z.string(), last_event_id: z.string() });

try {
  const call = await openStreamCall({ url, cacheFile: cache, tool: "get_forecast", arguments: { city } });
  if (call.resumed) await finish(call);
  else await crash(call);
} catch (error) {
  if (!isClientError(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The first run: dies as soon as the call is under way. */
async function crash(call: StreamCall): Promise<void> {
  process.stdout.write(`Connected to ${url}. Calling get_forecast of ${city}, which takes 6 seconds …\n`);
  await Promise.race([call.resumable, call.result()]);
  process.stdout.write(`${cache} holds ${await describeCache()}.\nCrashing now. Run me again.\n`);
  process.kill(process.pid, "SIGKILL");
}

/** The second run: sends no call; takes up the stream of the first. */
async function finish(call: StreamCall): Promise<void> {
  process.stdout.write(`Found ${cache}: reconnecting with ${await describeCache()} …\n`);
  const { text, structuredContent } = await call.result();
  const forecast = structuredContent?.forecast;
  process.stdout.write(`${typeof forecast === "string" ? forecast : text}\n`);
}

async function describeCache(): Promise<string> {
  const { session_id, last_event_id } = cached.parse(JSON.parse(await readFile(cache, "utf8")));
  return `Mcp-Session-Id ${session_id} and Last-Event-ID ${last_event_id}`;
}
