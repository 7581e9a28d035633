import type { Json, JsonObject, TaskContext } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import type { CallState } from "../src/call/plan.js";
import { Questions } from "../src/call/questions.js";

/** A task that remembers its steps, and whose user answers each question with its own text. */
function answeredTask() {
  const steps = new Map<string, Promise<unknown>>();
  const asked: string[] = [];
  const task = {
    step(key: string, run: () => unknown) {
      const known = steps.get(key) ?? Promise.resolve(run());
      steps.set(key, known);
      return known;
    },
    async ask(_key: string, { message }: { readonly message: string }) {
      asked.push(message);
      return { action: "accept", content: { to: message } };
    },
  };
  return { asked, task: task as unknown as TaskContext<CallState | null, Json> };
}

test("a call that is made again and asks something else in the same place gets a new question, and each is asked once", async () => {
  const { asked, task } = answeredTask();
  const place = { key: "who", round: "task" } as const;
  // Each process that makes the call has its own.
  const answer = async (message: string): Promise<JsonObject> =>
    Object(await new Questions(task).answer({ message }, place));
  const answerTo = (to: string) => ({ result: { action: "accept", content: { to } } });
  expect(await answer("Who?")).toEqual(answerTo("Who?"));
  expect(await answer("Who else?")).toEqual(answerTo("Who else?"));
  expect(await answer("Who?")).toEqual(answerTo("Who?"));
  expect(await answer("Who else?")).toEqual(answerTo("Who else?"));
  expect(asked).toEqual(["Who?", "Who else?"]);
});
