import { defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";

const nothing = z.object({});
/** Every call is a run of its own: the scenarios repeat calls and expect a new one. */
const never = () => null;

/** The job of `test_tool_with_task`, which asks for the name before it begins. */
export const helloJob = "hello_job";

/** Tools of the tasks scenarios. */
export const taskTools: readonly Tool[] = [
  defineTool({
    name: "greet",
    description: "Greets at once.",
    input: z.object({ name: z.string() }),
    key: never,
    taskSupport: "forbidden",
    onCrash: "rerun",
    run: async ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: "slow_compute",
    description: "Computes for some seconds.",
    input: z.object({ seconds: z.number().min(0), label: z.string().default("") }),
    key: never,
    async *run({ seconds, label }, task) {
      yield { progress: 0, total: seconds };
      await task.sleep("compute", seconds * 1_000);
      yield { progress: seconds, total: seconds };
      return `Computed ${label} for ${seconds} s.`;
    },
  }),
  defineTool({
    name: "failing_job",
    description: "Fails after a second.",
    input: nothing,
    key: never,
    taskSupport: "required",
    async *run(_input, task) {
      yield { progress: 0, total: 1 };
      await task.sleep("work", 1_000);
      throw new Error("The job failed.");
    },
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Ends with a protocol error.",
    input: nothing,
    key: never,
    async *run() {
      yield { progress: 0, total: 1 };
      throw Object.assign(new Error("The job broke down."), { code: -32_603 });
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Asks before it deletes.",
    input: z.object({ filename: z.string() }),
    key: never,
    onCrash: "rerun",
    run: async ({ filename }, task) => {
      const schema = z.object({ confirm: z.boolean() });
      const answer = await task.ask("confirm", { message: `Delete ${filename}?`, schema });
      return answer.action === "accept" && answer.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  }),
  defineTool({
    name: "multi_input",
    description: "Asks two questions at once.",
    input: nothing,
    key: never,
    onCrash: "rerun",
    run: async (_input, task) => {
      const schema = z.object({ name: z.string() });
      const answers = await Promise.all([
        task.ask("first", { message: "The first name?", schema }),
        task.ask("second", { message: "The second name?", schema }),
      ]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    name: helloJob,
    description: "Greets after a while.",
    input: z.object({ name: z.string() }),
    key: never,
    taskSupport: "required",
    async *run({ name }, task) {
      yield { progress: 0, total: 1 };
      await task.sleep("think", 300);
      return `Hello, ${name}!`;
    },
  }),
];
