import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, job } from "./scene.js";

failOnUnhandledRejections();

const quick = job(async function* () {
  yield { progress: 1 };
  return "done";
});
const start = { tool: "job", input: {} };

describe("an owner (G10)", () => {
  it("sees and touches only what is their own, and cannot tell whether anything else exists (G10.1)", async () => {
    const { tool } = gatedCount(1);
    const { tasks, engine } = createScene([tool]);
    const { record } = await tasks.start(start);
    const stranger = engine.forOwner("client:b");
    const unknown = "x".repeat(32);
    const attempts = (id: string) =>
      [
        () => stranger.get(id),
        () => stranger.wait(id),
        () => stranger.pause(id),
        () => stranger.resume(id),
        () => stranger.cancel(id),
        () => stranger.answer(id, "key", { action: "decline" }),
        () => stranger.delete(id),
        () => stranger.items(id),
        () => stranger.detach(id),
        () => stranger.markDelivered(id),
        () => stranger.follow(id)[Symbol.asyncIterator]().next(),
      ].map((attempt) => attempt().then(String, (error: Error) => error.message.replaceAll(id, "ID")));
    const foreign = await Promise.all(attempts(record.id));
    expect(foreign).toEqual(await Promise.all(attempts(unknown)));
    expect(new Set(foreign)).toEqual(
      new Set(["There is no task ID. It may have been deleted, or belong to another owner."]),
    );
    expect(await stranger.list()).toEqual({ tasks: [] });
    expect((await stranger.count()).total).toBe(0);
    expect((await stranger.start(start)).created).toBe(true);
  });

  it("names tasks by ids alone: the store is asked for nothing else (G10)", async () => {
    const asked: string[] = [];
    const scene = createScene([quick], {}, (store) => ({
      ...store,
      getTask: (id) => {
        asked.push(id);
        return store.getTask(id);
      },
    }));
    const id = "x".repeat(32);
    for (const text of [id, `../${id}`, `${id}/..`, "x".repeat(15), "x".repeat(65), ""])
      await expect(scene.tasks.get(text)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(asked).toEqual([id]);
  });

  it("reaches by its id what is of owners that it may reach, and lists its own (G10)", async () => {
    const { tool } = gatedCount(1);
    const { tasks, engine } = createScene([tool]);
    const { record } = await tasks.start(start);
    const reader = engine.forOwner("client:b", { reaches: (owner) => owner === "client:a" });
    expect((await reader.get(record.id)).record.owner).toBe("client:a");
    expect((await reader.pause(record.id)).requested).toBe("pause");
    expect(await reader.list()).toEqual({ tasks: [] });
    expect((await reader.start(start)).record.id).not.toBe(record.id);
    const { record: foreign } = await engine.forOwner("client:c").start(start);
    await expect(reader.get(foreign.id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  it("goes by the notes that are being written of a result that another owner received (G7)", async () => {
    const { tasks, engine, rest } = createScene([quick]);
    const { record } = await tasks.start(start);
    await rest();
    const reader = engine.forOwner("client:b", { reaches: () => true });
    await reader.get(record.id);
    const delivered = reader.markDelivered(record.id);
    expect(await tasks.start(start)).toMatchObject({ created: true });
    await delivered;
  });

  it("is a tagged string (G10.2)", () => {
    const { engine } = createScene([quick]);
    for (const owner of ["alice", "root:alice", "sub:", ""]) {
      expect(() => engine.forOwner(owner)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
  });
});
