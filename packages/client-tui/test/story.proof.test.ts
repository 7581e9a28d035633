import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { killAll, start } from "./processes.js";

const script = fileURLToPath(new URL("../examples/story.sh", import.meta.url));

afterEach(killAll);

it("the story of two servers runs by subcommands alone, and everything in it is true", async () => {
  const story = start("bash", [script]);
  const code = await story.ended;
  const facts = story.stdout().match(/^ {2}.*$/gm);
  expect({ code, facts, failures: story.stderr().match(/^FAILED.*$/gm) }).toEqual({
    code: 0,
    facts: [
      "  exit code without servers: 3",
      "  unfinished tasks: 2",
      "  the counting one: true",
      "  exit code of a task that asks: 6",
      "  exit code of a wrong answer: 2",
      "  deployed to: staging",
      "  exit code of a paused task: 5",
      "  its place: 10",
      "  counted to: 20",
      `  items, each once: ${Array.from({ length: 20 }, (_, index) => index + 1).join(" ")}`,
      "  unfinished tasks: 0",
    ],
    failures: null,
  });
});
