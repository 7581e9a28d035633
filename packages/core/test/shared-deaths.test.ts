import { describe, expect, it } from "vitest";
import { defineTool, type Tool } from "../src/index.js";
import { createScene, failOnUnhandledRejections, job, jobInput, type Scene } from "./scene.js";

failOnUnhandledRejections();

// Minutes of the clock take little time when polls and heartbeats are rare. Without trials all run in each process.
const limits = { pollMs: 60_000, heartbeatMs: 60_000, leaseTtlMs: 180_000, graceMs: 1_000, ttlMs: 600_000, trialMs: 0 };

/** Tools that come to no checkpoint until the world outside is well. */
function createTools() {
  const outside = { isWell: false };
  const named = (name: string, version: string): Tool =>
    job(
      async function* () {
        if (!outside.isWell) await new Promise(() => {});
        yield { progress: 1 };
        return "done";
      },
      { name, version, accepts: ["*"], onVersionChange: "restart" },
    );
  const plain = defineTool({
    name: "plain",
    description: "Never ends.",
    input: jobInput,
    run: () => new Promise<string>(() => {}),
  });
  const tools = (version: string) => [named("poison", version), named("innocent", "1"), plain];
  return { outside, tools };
}

/** Lets the process die; another one continues with what is there. */
async function die(scene: Scene, tools?: readonly Tool[]): Promise<Scene> {
  scene.store.kill({ noticed: true });
  const next = tools === undefined ? scene.another() : scene.another({ tools });
  await next.engine.open();
  await next.clock.advance(30_000);
  return next;
}

async function dieThrice(scene: Scene): Promise<Scene> {
  return die(await die(await die(scene)));
}

/** A task that died three times with a poison and is paused now, while the poison runs. */
async function createPoisoned() {
  const { outside, tools } = createTools();
  // Then only what others may have caused keeps the innocent from its verdict.
  const first = createScene(tools("1"), { limits: { ...limits, maxCrashesInCompany: 1_000 } });
  const start = (tool: string) => first.tasks.start({ tool, input: {}, detached: true });
  const innocent = (await start("innocent")).record.id;
  const poison = (await start("poison")).record.id;
  await first.rest();
  const scene = await dieThrice(first);
  await scene.tasks.pause(innocent);
  await scene.clock.advance(2_000);
  return { scene, innocent, poison, outside, tools };
}

type Poisoned = Awaited<ReturnType<typeof createPoisoned>>;

describe("a task that died together with another one", () => {
  it.each<[string, string | undefined, (poisoned: Poisoned) => Promise<Scene>]>([
    ["was found guilty", "failed", ({ scene }) => dieThrice(scene)],
    [
      "was found guilty and continues",
      "completed",
      async ({ scene, poison, outside }) => {
        const next = await dieThrice(scene);
        outside.isWell = true;
        await next.tasks.resume(poison);
        await next.rest();
        return next;
      },
    ],
    [
      "was found guilty and deleted",
      undefined,
      async ({ scene, poison }) => {
        const next = await dieThrice(scene);
        await next.tasks.delete(poison);
        return next;
      },
    ],
    [
      "was found guilty and expired",
      undefined,
      async ({ scene }) => {
        const next = await dieThrice(scene);
        await next.clock.advance(2 * limits.ttlMs);
        await next.engine.sweep();
        return next;
      },
    ],
    [
      "was cancelled while it ran",
      "cancelled",
      async ({ scene, poison }) => {
        await scene.tasks.cancel(poison);
        await scene.clock.advance(2_000);
        return scene;
      },
    ],
    [
      "was cancelled and deleted",
      undefined,
      async ({ scene, poison }) => {
        await scene.tasks.cancel(poison);
        await scene.clock.advance(2_000);
        await scene.tasks.delete(poison);
        return scene;
      },
    ],
    [
      "began again with another version of its tool",
      "completed",
      async ({ scene, outside, tools }) => {
        outside.isWell = true;
        return die(scene, tools("2"));
      },
    ],
  ])("is not found guilty when that one %s (G12.4)", async (_what, status, forget) => {
    const poisoned = await createPoisoned();
    const { innocent, poison, outside } = poisoned;
    const scene = await forget(poisoned);
    const { tasks } = await scene.tasks.list();
    expect(tasks.find(({ id }) => id === poison)?.status).toBe(status);
    outside.isWell = true;
    await scene.tasks.resume(innocent);
    await scene.clock.advance(2_000);
    expect((await scene.tasks.get(innocent)).record).toMatchObject({ status: "completed", output: "done" });
  });

  it.each<[string, (scene: Scene, n: number) => Promise<(next: Scene) => Promise<unknown>>]>([
    [
      "others ran that were cancelled before they ran again",
      async (scene, n) => {
        const { record } = await scene.tasks.start({ tool: "poison", input: { n }, detached: true });
        return (next) => next.tasks.cancel(record.id);
      },
    ],
    [
      "plain tools ran",
      async (scene, n) => {
        const { record } = await scene.tasks.start({ tool: "plain", input: { n }, detached: true });
        return (next) => next.tasks.wait(record.id);
      },
    ],
  ])("is not found guilty when in each of its processes %s (G12.4)", async (_what, begin) => {
    const { outside, tools } = createTools();
    let scene = createScene(tools("1"), { limits });
    const innocent = (await scene.tasks.start({ tool: "innocent", input: {}, detached: true })).record.id;
    for (let deaths = 1; deaths <= 3; deaths++) {
      const end = await begin(scene, deaths);
      await scene.rest();
      outside.isWell = deaths === 3;
      scene.store.kill({ noticed: true });
      scene = scene.another();
      await end(scene);
      await scene.engine.open();
      await scene.clock.advance(30_000);
    }
    expect((await scene.tasks.get(innocent)).record).toMatchObject({ status: "completed", output: "done" });
  });
});
