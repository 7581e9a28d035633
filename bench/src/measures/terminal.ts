import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Measure, type PreparedMeasure, type Scope, spreadOf } from "../report/measure.js";
import { openTaskBoard, type TaskBoard, terminalProgram } from "../terminal/live-board.js";
import { openTerminal } from "../terminal/pseudo-terminal.js";
import { built } from "../workers/run-isolated.js";

/** From the start of the process in a terminal to the first frame: the program against the smallest one of Ink. */
const firstFrame: Measure = {
  id: "terminal-first-frame",
  title: "First frame of the terminal UI",
  subject: "resumable-mcp",
  peer: "one line of Ink, bundled the same way",
  unit: "ms",
  target: { atMost: 1.5 },
  async prepare(scope) {
    const oneLine = fileURLToPath(built("one-line.js"));
    // No server listens there: the first frame waits for no answer.
    const words = ["--url", "http://127.0.0.1:1/mcp", "--state", join(await scope.folder(), "state.json")];
    return {
      subject: () => timeToShow(terminalProgram, words, /Looking for your tasks/),
      peer: () => timeToShow(oneLine, [], /one line of text/),
    };
  },
};

async function timeToShow(script: string, words: readonly string[], text: RegExp): Promise<number> {
  const terminal = openTerminal(script, words);
  try {
    return await terminal.shows(text);
  } finally {
    await terminal.close();
  }
}

/** What the list says after each press of the key that sorts it. */
const sorted = [/by name/, /by progress/, /by time left/, /by server/];
const limitMs = 50;
/** Keys come at any moment between two frames. */
const leastPauseMs = 120;
const mostPauseMs = 320;

/** Opens the list of 208 tasks. One process serves them all: two cores are not to measure the servers. */
async function boardIn(scope: Scope, tickMs: number): Promise<TaskBoard> {
  const board = await openTaskBoard({ servers: 13, tickMs });
  scope.onEnd(() => board.close());
  return board;
}

/** Measures the list of tasks, each of which moves once a second, against a limit. */
function onBoard(
  { limit, ...row }: Pick<Measure, "id" | "title" | "subject"> & { readonly limit: number },
  round: (board: TaskBoard) => Promise<number>,
): Measure {
  return {
    ...row,
    peer: "the limit",
    unit: "ms",
    target: { atMost: 1 },
    async prepare(scope) {
      const board = await boardIn(scope, 1_000);
      return { subject: () => round(board), peer: async () => limit };
    },
  };
}

/** From a key to the frame that shows what it did. */
const key = onBoard(
  {
    id: "terminal-key",
    title: "Key to redraw with 208 live tasks that move once a second, median of 8 keys",
    subject: "the list of tasks, sorted by a key",
    limit: limitMs,
  },
  async ({ terminal }) => {
    const times: number[] = [];
    for (let cycle = 0; cycle < 2; cycle += 1) {
      for (const title of sorted) {
        await delay(leastPauseMs + Math.random() * (mostPauseMs - leastPauseMs));
        terminal.press("s");
        times.push(await terminal.shows(title));
      }
      terminal.press("s");
      await delay(mostPauseMs);
    }
    return spreadOf(times).median;
  },
);

/** Share of one core that the program may need for a list that is only looked at. */
const processorLimit = 200;
/** As long as the program takes between two refreshes of its list: every round has the same work. */
const processorRoundMs = 5_000;

/** Processor time of the program alone, which no other process of a busy machine adds to. */
const processor = onBoard(
  {
    id: "terminal-processor",
    title: "Processor time of the terminal UI with 208 live tasks that move once a second, for each second",
    subject: "the list of tasks",
    limit: processorLimit,
  },
  async ({ terminal }) => {
    const start = performance.now();
    const before = (await terminal.vitals()).processorMs;
    await delay(processorRoundMs);
    const used = (await terminal.vitals()).processorMs - before;
    return (used / (performance.now() - start)) * 1_000;
  },
);

/** Events that are received before the memory at the beginning is read, and in each round after it. */
const warmUpEvents = 10_000;
const eventsEachRound = 6_000;

/** What is left in the heap after a collection, while 100,000 events are received, against 10,000. */
const memory: Measure = {
  id: "terminal-memory",
  title: "Heap of the terminal UI over 100,000 received events",
  subject: "in the course of them",
  peer: "after the first 10,000",
  unit: "MiB",
  target: { atMost: 1.2 },
  async prepare(scope): Promise<PreparedMeasure> {
    const board = await boardIn(scope, 200);
    const heapAfter = async (count: number): Promise<number> => {
      const until = (await board.events()) + count;
      while ((await board.events()) < until) await delay(leastPauseMs);
      return (await board.terminal.vitals({ collect: true })).heapMiB;
    };
    const before = await heapAfter(warmUpEvents);
    return { subject: () => heapAfter(eventsEachRound), peer: async () => before };
  },
};

/** What is measured of the terminal UI. */
export const terminalMeasures = [firstFrame, key, processor, memory];
