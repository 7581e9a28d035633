import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { start } from "../program.js";
import { Demonstration, type SuiteRun } from "../run-suite.js";
import { demoPrograms, startDemoServer } from "../servers.js";

/** What the collection's runner came to. */
export interface CollectionRun {
  readonly code: number | string;
  readonly output: string;
}

/** Sends all requests of the collection to a server, by the runner of the collection's own makers. */
export async function sendCollection(url: string): Promise<CollectionRun> {
  const { newman, collection, environment } = demoPrograms;
  const environmentOf = ["--environment", environment, "--env-var", `base_url=${url}`];
  const options = ["--timeout-request", "60000", "--color", "off", "--disable-unicode"];
  const runner = start(process.execPath, [newman, "run", collection, ...environmentOf, ...options]);
  return { code: await runner.ended, output: runner.stdout() };
}

/** The walk of the collection: the server is killed as soon as a call's first event has passed, and started again. */
export function runPostmanCollection(): Promise<SuiteRun> {
  const check = new Demonstration("seed: the Postman collection");
  return check.run(async () => {
    const server = await startDemoServer();
    const proxy = await startDroppingProxy(server.url, async () => {
      await server.kill();
      await server.start();
    });
    try {
      const { code, output } = await sendCollection(proxy.url);
      check.holds("every test of the collection passes", code === 0, output);
      check.holds(
        "the answer to the dropped call arrives",
        output.includes("the answer to the dropped call arrives"),
        output,
      );
      check.equal(
        "the tool is called once",
        proxy.seen.filter((request) => request.includes('"tools/call"')).length,
        1,
      );
    } finally {
      await proxy.close();
      await server.close();
    }
  });
}

/** A connection to a server that breaks once, in the middle of a call. */
export interface DroppingProxy {
  readonly url: string;
  /** Requests that arrived, as `METHOD body`. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/**
 * Stands between a client and a server. The first stream that answers a `tools/call` ends after its first event; what
 * `onDrop` then does is done before the next request passes.
 */
export async function startDroppingProxy(target: string, onDrop: () => Promise<void>): Promise<DroppingProxy> {
  const seen: string[] = [];
  let dropped: Promise<void> | undefined;
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    seen.push(`${incoming.method} ${body}`);
    await dropped;
    const onward = request(target, { method: incoming.method, headers: incoming.headers });
    onward.end(body);
    const [answer] = (await once(onward, "response")) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (dropped !== undefined || !body.includes('"tools/call"')) return void answer.pipe(outgoing);
    let passed = "";
    for await (const bytes of answer) {
      outgoing.write(bytes);
      passed += String(bytes);
      if (/^id: .+\n/m.test(passed) && passed.includes("\n\n")) break;
    }
    dropped = onDrop();
    outgoing.end();
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
