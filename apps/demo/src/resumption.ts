import { existsSync, renameSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { runCommand } from "@resumable-mcp/command-line";
import { parseFlags } from "@resumable-mcp/command-line/options";
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

const cached = z.object({ session_id: z.string(), protocol_version: z.string(), last_event_id: z.string() });
const answered = z.object({
  content: z.array(z.looseObject({ text: z.string() })),
  structuredContent: z.looseObject({ forecast: z.string().optional() }).optional(),
  isError: z.boolean().optional(),
});

await runCommand("resumption", async () => {
  const { url, cache, city, help } = parseFlags(process.argv.slice(2), flags).values;
  if (help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (existsSync(cache)) await finish(url, cache);
  else await crash(url, cache, city);
});

/** The first run: dies in the middle of the call. */
async function crash(url: string, cache: string, city: string): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const client = await connect(transport, url);
  process.stdout.write(`Calling get_forecast of ${city} at ${url}, which takes 6 seconds …\n`);
  const call = { name: "get_forecast", arguments: { city } };
  const early = await new Promise<unknown>((resolve, reject) => {
    const onresumptiontoken = (token: string): void => {
      keep(cache, transport, token);
      delay(crashAfterMs, undefined).then(resolve, reject);
    };
    client.callTool(call, undefined, { onresumptiontoken }).then(resolve, reject);
  });
  // A forecast takes time: without any, the server refused.
  if (early !== undefined) {
    await rm(cache, { force: true });
    throw new Error(textOf(early));
  }
  process.stdout.write(`${cache} holds ${describe(await read(cache))}.\nCrashing now. Run me again.\n`);
  process.kill(process.pid, "SIGKILL");
}

/** The second run: sends no call; takes up the stream of the first. */
async function finish(url: string, cache: string): Promise<void> {
  const place = await read(cache);
  process.stdout.write(`Found ${cache}: reconnecting with ${describe(place)} …\n`);
  const transport = new StreamableHTTPClientTransport(new URL(url), { sessionId: place.session_id });
  transport.setProtocolVersion(place.protocol_version);
  const client = await connect(transport, url);
  const resumed = { resumptionToken: place.last_event_id };
  const answer = await client.callTool({ name: "get_forecast" }, undefined, resumed);
  await rm(cache);
  if (answered.parse(answer).isError === true) throw new Error(textOf(answer));
  process.stdout.write(`${textOf(answer)}\n`);
  await client.close();
}

/** A session that is known needs no request: the ping says whether the server is there, and knows it. */
async function connect(transport: StreamableHTTPClientTransport, url: string): Promise<Client> {
  const client = new Client({ name: "resumable-mcp-demo", version: "1.0.0" });
  try {
    await client.connect(transport);
    await client.ping();
  } catch (error) {
    if (error instanceof StreamableHTTPError)
      throw new Error(`${url} does not take the session (${error.message}). Delete the cache to call again.`);
    throw unreachable(url, error);
  }
  return client;
}

function unreachable(url: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${url} does not answer (${reason}). Start it first; the call is kept and can be resumed.`, {
    cause,
  });
}

/** What the next run needs, in place of what an event before said. */
function keep(cache: string, { sessionId, protocolVersion }: StreamableHTTPClientTransport, token: string): void {
  const place = { session_id: sessionId, protocol_version: protocolVersion, last_event_id: token };
  writeFileSync(`${cache}.new`, JSON.stringify(place));
  renameSync(`${cache}.new`, cache);
}

type StreamPosition = z.infer<typeof cached>;

async function read(cache: string): Promise<StreamPosition> {
  return cached.parse(JSON.parse(await readFile(cache, "utf8")));
}

function describe({ session_id, last_event_id }: StreamPosition): string {
  return `Mcp-Session-Id ${session_id} and Last-Event-ID ${last_event_id}`;
}

function textOf(answer: unknown): string {
  const { content, structuredContent } = answered.parse(answer);
  return structuredContent?.forecast ?? content[0]?.text ?? "";
}
