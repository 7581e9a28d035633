import { describe, expect, it } from "vitest";
import type { Store, TaskContext } from "../src/index.js";
import { fixedLimits } from "../src/limits.js";
import { createScene, failOnUnhandledRejections, historyOf, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

const chunkBytes = fixedLimits.artifactChunkBytes;
type Content = Parameters<TaskContext["artifact"]>[1];

/** A tool that keeps one artifact. */
function keeping(content: () => Content, name = "report.txt", limits = {}) {
  return job(
    async function* (task) {
      await task.artifact(name, content());
      yield { progress: 1 };
      return "kept";
    },
    { limits },
  );
}

async function begin(scene: Scene): Promise<string> {
  const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
  await scene.rest();
  return record.id;
}

async function finished(scene: Scene, id: string) {
  for await (const _ of scene.tasks.follow(id));
  return (await scene.tasks.get(id)).record;
}

async function bytesOf(scene: Scene, id: string, name: string, from?: number, to?: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of (await scene.tasks.artifact(id, name)).read(from, to)) parts.push(part);
  return Buffer.concat(parts);
}

/** Bytes that tell their place, in odd pieces. */
function pieces(length: number, at = (_index: number): void => {}) {
  return (async function* () {
    const all = bytes(length);
    for (let from = 0, index = 0; from < length; from += 100_003, index += 1) {
      at(index);
      yield all.subarray(from, from + 100_003);
    }
  })();
}

/** A text that is cut within a character, and texts between bytes. */
async function* cut() {
  yield "a\ud83d";
  yield "\ude00b\ud83d";
  yield bytes(1);
  yield "\ud83d";
}

async function* numbers() {
  yield 7;
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251);

describe("an artifact", () => {
  it.each<[string, Content, Buffer, string]>([
    ["a text", "naïve ✓", Buffer.from("naïve ✓"), "text/plain"],
    ["texts cut anywhere", cut(), Buffer.from("a😀b\ufffd\0\ufffd"), "application/octet-stream"],
    ["bytes", bytes(5), Buffer.from(bytes(5)), "application/octet-stream"],
    ["a blob", new Blob(["a,b\n"], { type: "text/csv" }), Buffer.from("a,b\n"), "text/csv"],
    ["a web stream", new Blob(["stream"]).stream(), Buffer.from("stream"), "application/octet-stream"],
    ["a function", async () => "made", Buffer.from("made"), "text/plain"],
    ["nothing", "", Buffer.alloc(0), "text/plain"],
    [
      "more than a chunk",
      pieces(2 * chunkBytes + 7),
      Buffer.from(bytes(2 * chunkBytes + 7)),
      "application/octet-stream",
    ],
  ])("is made of %s, and gives its bytes", async (_what, content, expected, mimeType) => {
    const scene = createScene([keeping(() => content)]);
    const id = await begin(scene);
    await finished(scene, id);
    const artifact = await scene.tasks.artifact(id, "report.txt");
    expect([artifact.mimeType, artifact.bytes]).toEqual([mimeType, expected.byteLength]);
    expect((await bytesOf(scene, id, "report.txt")).equals(expected)).toBe(true);
  });

  it("gives any range of its bytes, across the ends of chunks", async () => {
    const scene = createScene([keeping(() => pieces(3 * chunkBytes))]);
    const id = await begin(scene);
    await finished(scene, id);
    const all = Buffer.from(bytes(3 * chunkBytes));
    for (const [from, to] of [
      [0, 1],
      [chunkBytes - 1, chunkBytes + 1],
      [chunkBytes, 2 * chunkBytes],
      [5, 3 * chunkBytes + 99],
      [7, 7],
    ] as const)
      expect((await bytesOf(scene, id, "report.txt", from, to)).equals(all.subarray(from, to))).toBe(true);
  });

  it("is the owner's alone, and one that is not there is said to be unknown (G10)", async () => {
    const scene = createScene([keeping(() => "secret")]);
    const id = await begin(scene);
    await finished(scene, id);
    const other = scene.engine.forOwner("client:b").artifact(id, "report.txt");
    await expect(other).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    await expect(scene.tasks.artifact(id, "other.txt")).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
    await scene.tasks.delete(id);
    await expect(scene.tasks.artifact(id, "report.txt")).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  it("begins again when the process dies while it is written, and leaves nothing of the first time (G1)", async () => {
    let lives = 0;
    const tool = keeping(() => {
      lives += 1;
      return pieces(3 * chunkBytes, (index) => {
        if (lives === 1 && index === 5) scene.store.kill({ noticed: true });
      });
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const next = scene.another();
    await next.engine.open();
    await next.rest();
    await next.clock.advance(60_000);
    expect((await finished(next, id)).status).toBe("completed");
    expect(lives).toBe(2);
    expect((await bytesOf(next, id, "report.txt")).equals(Buffer.from(bytes(3 * chunkBytes)))).toBe(true);
    expect(await next.store.readChunk(id, "2-1-1", 0)).toBeUndefined();
  });

  it("is not written again once it is durable, and what gives it is not called (G2)", async () => {
    let made = 0;
    const tool = job(async function* (task) {
      await task.artifact("a.txt", () => `made ${++made}`);
      if (task.attempt === 1) scene.store.kill({ noticed: true });
      yield { progress: 1 };
      return "kept";
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const next = scene.another();
    await next.engine.open();
    await next.clock.advance(60_000);
    await finished(next, id);
    expect([made, String(await bytesOf(next, id, "a.txt"))]).toEqual([1, "made 1"]);
    expect((await historyOf(next.tasks, id)).filter((line) => line.endsWith(" artifact"))).toHaveLength(1);
  });

  it("that fails in its stream fails the attempt with that error, and its bytes do not count (G11)", async () => {
    const tool = job(
      async function* (task) {
        const broken = pieces(2 * chunkBytes, (index) => {
          if (index === 4) throw new Error("the disk was removed");
        });
        const error = await task.artifact("a.bin", broken).catch((thrown: unknown) => thrown);
        await task.artifact("b.bin", bytes(2 * chunkBytes));
        yield { progress: 1 };
        return String(error);
      },
      { limits: { maxArtifactBytes: 2 * chunkBytes } },
    );
    const scene = createScene([tool]);
    const id = await begin(scene);
    expect((await finished(scene, id)).output).toBe("Error: the disk was removed");
    expect(Object.keys((await scene.tasks.get(id)).record.remembered)).toEqual(["b.bin"]);
  });

  it("whose chunk the store cannot keep ends the attempt, and the next one begins it again (G12)", async () => {
    let failures = 0;
    const failing = (store: Store): Store => ({
      ...store,
      putChunk: (request) => (failures++ === 0 ? Promise.reject(new Error("no room")) : store.putChunk(request)),
    });
    const scene = createScene([keeping(() => "text")], {}, failing);
    const id = await begin(scene);
    await scene.clock.advance(60_000);
    expect((await finished(scene, id)).status).toBe("completed");
    expect(String(await bytesOf(scene, id, "report.txt"))).toBe("text");
  });

  it.each(["", "a/b", "a\\b", "..", ".", "a\u0000", "a\u202eb", "\ud800", "x".repeat(129)])(
    "refuses the name %j",
    async (name) => {
      const scene = createScene([keeping(() => "text", name)]);
      expect((await finished(scene, await begin(scene))).error?.code).toBe("INVALID_VALUE");
    },
  );

  it("stays while others are written, with the type that it was given (G1)", async () => {
    const tool = job(async function* (task) {
      await task.artifact("a.csv", "a,b", { mimeType: "text/csv; charset=utf-8" });
      await Promise.all([task.artifact("b.bin", pieces(chunkBytes + 1)), task.artifact("c.txt", "c")]);
      await task.artifact("d.txt", "d");
      yield { progress: 1 };
      return "kept";
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    await finished(scene, id);
    expect((await scene.tasks.artifact(id, "a.csv")).mimeType).toBe("text/csv; charset=utf-8");
    const lengths = ["a.csv", "b.bin", "c.txt", "d.txt"].map(async (name) => (await bytesOf(scene, id, name)).length);
    expect(await Promise.all(lengths)).toEqual([3, chunkBytes + 1, 1, 1]);
  });

  it.each<[string, unknown, object, string]>([
    ["a type that is none", "x", { mimeType: "text" }, "mimeType must be one such as text/csv"],
    ["an option that there is not", "x", { mimetype: "text/csv" }, 'did you mean "mimeType"'],
    ["a number", 7, {}, "it must be text"],
    ["a stream of numbers", numbers(), {}, "it must be text"],
  ])("is refused where it is made of %s", async (_what, content, options, message) => {
    const tool = job(async function* (task) {
      await task.artifact("a.txt", content as string, options);
      yield {};
      return "kept";
    });
    const scene = createScene([tool]);
    const error = { code: "INVALID_VALUE", message: expect.stringContaining(message) };
    expect((await finished(scene, await begin(scene))).error).toMatchObject(error);
  });

  it.each<[string, object, object]>([
    ["maxArtifactBytes", { maxArtifactBytes: 3 }, { limit: "maxArtifactBytes", value: 4, allowed: 3 }],
    ["maxArtifacts", { maxArtifacts: 0 }, { limit: "maxArtifacts", value: 1, allowed: 0 }],
  ])("beyond %s is refused by that name (G11)", async (_name, limits, details) => {
    let thrown: unknown;
    const tool = job(
      async function* (task) {
        thrown = await task.artifact("a.txt", "text").catch((error: unknown) => error);
        yield {};
        return "refused";
      },
      { limits },
    );
    const scene = createScene([tool]);
    expect(Object.keys((await finished(scene, await begin(scene))).remembered)).toEqual([]);
    expect(thrown).toMatchObject({ code: "LIMIT_EXCEEDED", details });
  });

  it("is what the limit of outputs advises", async () => {
    const tool = job(
      async function* () {
        yield {};
        return "x".repeat(100);
      },
      { limits: { maxOutputBytes: 10 } },
    );
    const scene = createScene([tool]);
    expect((await finished(scene, await begin(scene))).error?.message).toContain("task.artifact");
  });
});
