import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { demoPrograms } from "../demo-programs.js";
import { startDemoServer } from "../demo-server.js";
import { Demonstration } from "../demonstration.js";
import type { SuiteRun } from "../run-suite.js";
import { startDroppingProxy } from "./dropping-proxy.js";

/** What the collection's runner came to. */
export interface CollectionRun {
  readonly code: number;
  readonly output: string;
}

/** Sends all requests of the collection to a server, by the runner of the collection's own makers. */
export async function sendCollection(url: string): Promise<CollectionRun> {
  const { newman, collection, environment } = demoPrograms;
  const environmentOf = ["--environment", environment, "--env-var", `base_url=${url}`];
  const options = ["--timeout-request", "60000", "--color", "off", "--disable-unicode"];
  const child = spawn(process.execPath, [newman, "run", collection, ...environmentOf, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code, output };
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
