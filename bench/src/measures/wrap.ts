import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Measure, type PreparedMeasure, type Scope, spreadOf } from "../report/measure.js";
import { inFlight } from "../servers/echo.js";
import { type StdioServer, startStdio, type Usage } from "../servers/stdio-server.js";
import { createVitalsProbe } from "../workers/vitals.js";
import { callRate, connect, startHttp } from "./http.js";
import { server } from "./stdio-start.js";

type Durability = "process" | "machine";
type Round = (stdio: StdioServer, begunMs: number) => Promise<number>;

const bare = server("bare-2025-stdio");
const program = join(dirname(createRequire(import.meta.url).resolve("resumable-mcp/package.json")), "dist", "cli.js");

/** The command of a gateway with a store of its own. A measure has a process, and so an environment, of its own. */
async function gateway(scope: Scope, durability: Durability, ...words: readonly string[]): Promise<readonly string[]> {
  process.env.RESUMABLE_MCP_STORE_DURABILITY = durability;
  return [program, "wrap", ...words, "--store", await scope.folder()];
}

/** A gateway over stdio before the bare server. */
const stdioGateway = async (scope: Scope, durability: Durability, ...words: readonly string[]) => [
  ...(await gateway(scope, durability, ...words)),
  "--",
  "node",
  bare,
];

/** Makes some calls of the trivial tool, one after the other, and gives the milliseconds of a call. */
async function callEach(stdio: StdioServer, count: number): Promise<number> {
  const begunMs = performance.now();
  for (let n = 0; n < count; n++) await stdio.call("echo");
  return (performance.now() - begunMs) / count;
}

function wrapped(
  id: string,
  { title, ...more }: Pick<Measure, "title" | "unit" | "target" | "judges" | "rounds">,
  prepare: Measure["prepare"],
): Measure {
  return {
    ...{ id: `wrap-${id}`, title, ...more, prepare },
    ...{ subject: "resumable-mcp wrap", peer: "the same server without it" },
  };
}

/** All rounds with the same two processes. */
const again =
  (durability: Durability, round: (stdio: StdioServer) => Promise<number>) =>
  async (scope: Scope): Promise<PreparedMeasure> => {
    const through = await startStdio(scope, await stdioGateway(scope, durability));
    const direct = await startStdio(scope, [bare]);
    return { subject: () => round(through), peer: () => round(direct) };
  };

/** Each round with a new process. @param noted what the report says of its memory after the round. */
const fromStart =
  (durability: Durability, noted: keyof Usage, round: Round) =>
  async (scope: Scope): Promise<PreparedMeasure> => {
    const memory = { gateway: [] as number[], peer: [] as number[] };
    const run = async (side: keyof typeof memory, words: readonly string[]): Promise<number> => {
      const begunMs = performance.now();
      const stdio = await startStdio(scope, words);
      const figure = await round(stdio, begunMs);
      memory[side].push(stdio.usage()[noted]);
      await stdio.stop();
      return figure;
    };
    const middle = (side: keyof typeof memory) => `${Math.round(spreadOf(memory[side]).median)} MiB`;
    return {
      subject: async () => run("gateway", await stdioGateway(scope, durability)),
      peer: () => run("peer", [bare]),
      get note() {
        return `resident${noted === "peakMiB" ? " at most" : ""} ${middle("gateway")}, peer ${middle("peer")}`;
      },
    };
  };

const calls = "calls of a trivial tool";

const stdioCalls = (durability: Durability, each: number): Measure =>
  wrapped(
    `calls-stdio-${durability}`,
    { title: `\`${durability}\`, stdio, ${calls}, one after the other`, unit: "calls/s" },
    again(durability, async (stdio) => 1_000 / (await callEach(stdio, each))),
  );

const httpCalls = wrapped(
  "calls-http",
  { title: `\`process\`, HTTP, 2025 era, ${calls}, 50 clients with one call in flight each`, unit: "calls/s" },
  async (scope) => {
    const direct = await startHttp(scope, [server("bare-2025-http")]);
    const through = await startHttp(scope, await gateway(scope, "process", "http", "--port", "0", "--url", direct.url));
    // Of a round of its own: a server closes a connection that is idle for as long as the other's round.
    const rate = async (url: string) =>
      callRate(await Promise.all(Array.from({ length: 50 }, () => connect("2025", url))), 4);
    return { subject: () => rate(through.url), peer: () => rate(direct.url) };
  },
);

const processorTime = wrapped(
  "processor-time",
  {
    title: "`process`, stdio, processor time of a call, in all processes but the wrapped server's",
    ...{ unit: "ms", target: { atMost: 1 }, judges: "figure" },
  },
  again("process", async (stdio) => {
    const before = stdio.usage();
    await callEach(stdio, 100);
    return (stdio.usage().processorMs - before.processorMs) / 100;
  }),
);

const diskSyncs = wrapped(
  "disk-syncs",
  { title: "`machine`, disk syncs of a call", unit: "syncs", target: { atMost: 2 }, judges: "difference" },
  async (scope) => {
    const open = async (words: readonly string[]) => {
      const { flags, env, ask } = createVitalsProbe(await scope.folder());
      const stdio = await startStdio(scope, [...flags, ...words], env);
      return async () => {
        const before = await ask(stdio.pid);
        await callEach(stdio, 20);
        return ((await ask(stdio.pid)).syncs - before.syncs) / 20;
      };
    };
    return { subject: await open(await stdioGateway(scope, "machine", "--no-supervise")), peer: await open([bare]) };
  },
);

const firstAnswer = wrapped(
  "first-answer",
  { title: "`machine`, stdio, from spawn to the first result of a call", unit: "ms" },
  fromStart("machine", "residentMiB", async (stdio, begunMs) => {
    await stdio.call("echo");
    return performance.now() - begunMs;
  }),
);

/** No call ends before the server has all of them. */
const manyCalls = (durability: Durability): Measure =>
  wrapped(
    `many-calls-${durability}`,
    {
      title: `\`${durability}\`, stdio, ${inFlight} calls in flight at once, until all have ended`,
      unit: "ms",
      rounds: 7,
    },
    fromStart(durability, "peakMiB", async (stdio) => {
      await stdio.call("echo");
      const begunMs = performance.now();
      await Promise.all(Array.from({ length: inFlight }, () => stdio.call("gather")));
      return performance.now() - begunMs;
    }),
  );

/** What a gateway costs before a server that is not ours, in the order of the report. */
export const wrapMeasures: readonly Measure[] = [
  stdioCalls("process", 100),
  stdioCalls("machine", 50),
  httpCalls,
  processorTime,
  diskSyncs,
  firstAnswer,
  manyCalls("process"),
  manyCalls("machine"),
];
