import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

/** A gate that a test opens by hand, again and again. */
export interface Gate {
  /** Lets this many waiters pass, those to come included. */
  open(count?: number): void;
  pass(): Promise<void>;
}

/** Makes a closed gate. */
export function createGate(): Gate {
  let free = 0;
  const waiting: (() => void)[] = [];
  return {
    open(count = 1) {
      for (let index = 0; index < count; index++) {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
    pass() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Counts to `n`; each step waits for the gate, which is open when there is none. */
export function countTool(
  gate?: Gate,
  facts: { handoffAfter?: number; title?: string; label?: (input: { n: number }) => string } = {},
) {
  return defineTool({
    name: "count_to",
    description: "Counts to a number.",
    input: z.object({ n: z.number().int().positive() }),
    output: z.object({ counted: z.number(), attempts: z.number() }),
    state: { at: 0 },
    ...facts,
    async *run({ n }, task) {
      for (let at = task.state.at + 1; at <= n; at++) {
        await Promise.race([gate?.pass(), aborted(task.signal)]);
        task.log("info", `step ${at}`);
        yield { progress: at, total: n, state: { at }, message: `Counted ${at}/${n}`, append: [at] };
      }
      return { counted: n, attempts: task.attempt };
    },
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Asks its user for a name. */
export const greetTool = defineTool({
  name: "greet_user",
  description: "Greets the user by name.",
  input: z.object({}),
  state: {},
  async *run(_input, task) {
    yield { progress: 1, total: 2 };
    const answer = await task.ask("name", {
      message: "What is your name?",
      schema: z.object({ name: z.string() }),
    });
    yield { progress: 2, total: 2 };
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}`;
  },
});
