import { join } from "node:path";
import { isClientError, openClient } from "@resumable-mcp/client";
import { expect, test } from "vitest";
import { afterwards, runToEnd, startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

/** A server of the program, and the toolkit's own client at it. */
async function serve(...flags: readonly string[]) {
  const store = await testFolder();
  const server = await startServer([toolsModule, "--port", "0", "--store", store, ...flags]);
  const client = await openClient({ servers: [{ url: server.url }], stateFile: join(store, "client.json") });
  afterwards(() => client.close());
  return { server, client };
}

test("without a flag a host sees few control tools, and the client uses all of them", async () => {
  const { server, client } = await serve();
  const { client: host } = await connectStock(server.url);
  afterwards(() => host.close());
  const listed = (await host.listTools()).tools.map(({ name }) => name);
  expect(listed.filter((name) => /_tasks?$|^get_/.test(name)).sort()).toEqual([
    "answer_task",
    "cancel_task",
    "list_session_tasks",
    "resume_task",
    "wait_for_task",
  ]);
  const call = await client.call("count_to", { n: 3 });
  expect((await call.result()).structuredContent).toMatchObject({ counted: 3 });
  const [stats] = await client.stats();
  expect(stats).toMatchObject({ total: 1, counts: { completed: 1 } });
  await client.task(call.taskId ?? "").remove();
  expect(await client.testServer(server.url)).toMatchObject({ resumable: true });
  const { stderr } = await server.stop("SIGTERM");
  expect(stderr).toMatch(/^control tools: .*wait_for_task/m);
  expect(stderr).not.toContain("get_checkpoint_stats");
});

test("with --control-tools none the client calls tools, and says of everything else that the server has none", async () => {
  const { server, client } = await serve("--control-tools", "none");
  expect((await (await client.call("count_to", { n: 2 })).result()).structuredContent).toMatchObject({ counted: 2 });
  const refusals = [client.unfinished(), client.tasks(), client.stats(), client.task("unknown").info()].map((asked) =>
    asked.then(
      () => "no error",
      (error: unknown) => (isClientError(error) ? `${error.code}: ${error.message}` : String(error)),
    ),
  );
  for (const refusal of await Promise.all(refusals)) {
    expect(refusal).toMatch(/^NOT_RESUMABLE: .* runs without the tools that control tasks \(--control-tools none\)/);
  }
  expect(await client.testServer(server.url)).toMatchObject({ ok: true, resumable: false });
});

test("a value that the flag does not take is refused", async () => {
  const ended = await runToEnd([toolsModule, "--control-tools", "few"]);
  expect(ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--control-tools must be all or minimal or"),
  });
});
