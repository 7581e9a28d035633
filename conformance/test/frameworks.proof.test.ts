import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pathOfNewerNode } from "../../scripts/newer-node.js";
import { itemsTo, journalProblems, newLabel } from "../src/clients/row.js";
import { type ServerUnderTest, startServer } from "../src/clients/server-under-test.js";
import { killAll, start } from "../src/program.js";
import { manifestOf, read, root } from "../src/repository.js";
import { examplesIn } from "./readme-examples.js";

const limits = { timeout: 240_000 };
const folder = "examples/frameworks";
const recipes = ["ai-sdk", "langchain", "mastra", "openai-agents"];
const goal = 30;
const killedAt = 10;

let server: ServerUnderTest;
let state: string;
/** Two of the frameworks need a newer Node than the toolkit. */
let node: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "frameworks-"));
  [server, node] = await Promise.all([startServer("HTTP"), pathOfNewerNode()]);
}, limits.timeout);

afterAll(async () => {
  await killAll();
  await server.close();
  await rm(state, { recursive: true });
}, limits.timeout);

test.each(recipes)("a tool of %s whose server is killed in mid-call gives the whole result", limits, async (recipe) => {
  const { place, journals } = server;
  if (place.over !== "HTTP") throw new Error("The recipes are for servers over HTTP.");
  const label = newLabel();
  const input = JSON.stringify({ n: goal, label });
  const args = [join(root, folder, "try-recipe.ts"), recipe, place.url.href, place.token, input];
  await server.ready();
  const agent = start(node, args, { env: { ...process.env, XDG_STATE_HOME: state } });
  const early = agent.ended.then(() =>
    Promise.reject(new Error(`It ended too soon:\n${agent.stdout()}${agent.stderr()}`)),
  );
  await server.kill(await Promise.race([journals.untilItems(label, killedAt), early]));
  // Some frameworks put the result into a text, which is in another.
  expect((await agent.succeeded()).replaceAll("\\", "")).toContain(`{"counted":${goal},"label":"${label}"}`);
  expect(journalProblems(await journals.facts(label), itemsTo(goal))).toEqual([]);
});

test("the page of the recipes shows the files that are run, and the versions with which they run", () => {
  const page = "docs/frameworks.md";
  const shown = examplesIn(page).filter(({ code }) => code.startsWith("// "));
  expect(shown.map(({ code }) => code)).toEqual(recipes.map((recipe) => read(`${folder}/${recipe}.ts`)));
  const { dependencies = {} } = manifestOf(folder);
  const named = [...read(page).matchAll(/^\| .*`(@[\w-]+\/[\w-]+)` (\d\S+)/gm)];
  expect(named).toHaveLength(recipes.length);
  for (const [, name = "", version] of named) expect(dependencies[name], name).toBe(version);
});
