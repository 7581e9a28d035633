import { Client, type Progress, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { afterwards, startServer, testFolder, toolsModule } from "./server-process.js";

const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

/** A stock client of the 2026 era behind a balancer, which sends each request to the server of the moment. */
async function connectBalanced(serverOfTheMoment: () => string) {
  const client = new Client({ name: "stock", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const balanced = (_url: string | URL | Request, init?: RequestInit) => fetch(serverOfTheMoment(), init);
  const transport = new StreamableHTTPClientTransport(new URL(serverOfTheMoment()), { fetch: balanced });
  await client.connect(transport);
  afterwards(() => client.close());
  return client;
}

test("a server that gets SIGTERM hands a call of the 2026 era over to the next process, and the stock client sees one call", async () => {
  const store = await testFolder();
  const args = [toolsModule, "--port", "0", "--store", store, "--owner", "single-user"];
  const [first, second] = [await startServer(args), await startServer(args)];
  let { url } = first;
  const client = await connectBalanced(() => url);
  const seen: number[] = [];
  let ended: Promise<{ readonly code: number | null }> | undefined;
  const onprogress = ({ progress, message = "" }: Progress) => {
    // The client tells of its own rounds in between.
    if (!message.startsWith("Counted ")) return;
    seen.push(progress);
    if (progress !== 5) return;
    ({ url } = second);
    ended = first.stop("SIGTERM");
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, { onprogress });
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect(seen).toEqual(count(40));
  expect(await ended).toMatchObject({ code: 0 });
  const task_id = result._meta?.["resumable-mcp/task_id"];
  const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
});
