import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine } from "@resumable-mcp/core";
import { serveUpstream } from "@resumable-mcp/mcp/define-server";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, it, onTestFinished } from "vitest";
import { wrap } from "../src/index.js";

const program = fileURLToPath(new URL("raw-server.js", import.meta.url));

it("lists the tools of a server that is away as they were last, and a call waits until it is back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wrap-away-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const [script, effects] = [join(folder, "server.mjs"), join(folder, "effects")];
  await copyFile(program, script);
  const open = async () => {
    const definition = await wrap({ command: "node", args: [script, effects] });
    const engine = createEngine({
      store: createFsStore({ directory: join(folder, "store") }),
      tools: definition.tools,
    });
    serveUpstream(engine, definition);
    const close = async () => {
      await engine.close();
      await definition.upstream?.close();
    };
    return { engine, tasks: engine.forOwner("local:test"), close };
  };
  const first = await open();
  const { record } = await first.tasks.start({ tool: "work", input: { steps: 1 } });
  await first.tasks.wait(record.id);
  await first.close();
  await rm(script);

  const second = await open();
  onTestFinished(second.close);
  await expect.poll(() => second.engine.tools.map(({ name }) => name)).toContain("work");
  const { record: waiting } = await second.tasks.start({ tool: "work", input: { steps: 2 } });
  await expect.poll(async () => (await second.tasks.get(waiting.id)).record.message).toBe("waits for its server");
  await copyFile(program, script);
  const ended = await second.tasks.wait(waiting.id);
  expect(JSON.stringify(ended.record.output)).toContain("done");
  expect((await readFile(effects, "utf8")).match(/call work/g)).toHaveLength(2);
});
