import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, lease, openStore } from "../../store-fs/test/scene.js";
import { json, run } from "./command-line.js";

/** A store with a task that version 2 left, and a module with version 1 of its tool. */
async function upgraded() {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process" });
  const id = await create(store, "open");
  const held = await lease(store, id);
  const started = { type: "attempt_started", attempt: 1, worker: "w", toolVersion: "2" } as const;
  await commit(store, held, 1, [started, checkpoint(1, ["a"]), { type: "attempt_ended", reason: "drained" }]);
  const { tool } = (await store.getTask(id))?.record ?? { tool: "" };
  await store.close();
  const tools = join(emptyFolder(), "tools.mjs");
  writeFileSync(
    tools,
    `export default [{ name: ${JSON.stringify(tool)}, version: "1", input: {}, inputJsonSchema: {}, run() {} }];`,
  );
  return { directory, id, tool, tools };
}

test("versions counts tasks by version, and names those that the code at hand would refuse", async () => {
  const { directory, id, tool, tools } = await upgraded();
  const versions = [{ tool, version: "2", tasks: 1 }];
  expect(await json("versions", "--store", directory)).toMatchObject({ code: 0, value: { versions, refused: [] } });
  expect(await json("versions", tools, "--store", directory)).toMatchObject({
    code: 1,
    value: {
      versions,
      refused: [{ taskId: id, tool, version: "2", reason: expect.stringContaining("needs version 2") }],
    },
  });
});

test("versions checks input against a schema that is plain JSON Schema", async () => {
  const { directory, id, tool } = await upgraded();
  const refusedBy = async (input: object) => {
    const tools = join(emptyFolder(), "tools.mjs");
    const made = { name: tool, description: "Counts.", version: "2", input, inputJsonSchema: input };
    writeFileSync(tools, `export default [{ ...${JSON.stringify(made)}, run() {} }];`);
    const { out } = await run("versions", tools, "--store", directory);
    return out.split("\n").filter((line) => line.startsWith("refused"));
  };
  expect(await refusedBy({ type: "object", required: ["path"] })).toEqual([]);
  expect(await refusedBy({ type: "object", required: ["absent"] })).toEqual([
    expect.stringMatching(new RegExp(`^refused  ${id}  .*absent`)),
  ]);
});

test("resume --tool-version and restart are an operator's decision, which the code at hand follows", async () => {
  const { directory, id, tools } = await upgraded();
  expect(await run("resume", id, "--store", directory, "--tool-version", "1")).toMatchObject({ code: 0 });
  expect(await json("show", id, "--store", directory)).toMatchObject({
    value: { record: { toolVersion: "1", itemCount: 1 } },
  });
  const survey = await json("versions", tools, "--store", directory);
  expect(survey).toMatchObject({ code: 0, value: { refused: [] } });
  expect(await run("restart", id, "--store", directory)).toMatchObject({ code: 0 });
  expect(await json("show", id, "--store", directory)).toMatchObject({
    value: { record: { toolVersion: "1", itemCount: 0, generation: 2 } },
  });
});
