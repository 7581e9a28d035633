import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Measure, spreadOf } from "../report/measure.js";
import { openTaskBoard, terminalProgram } from "../terminal/live-board.js";
import { openTerminal } from "../terminal/pseudo-terminal.js";

/** From the start of the process in a terminal to the first frame: the program against the smallest one of Ink. */
export function firstFrameMeasure(): Measure {
  return {
    id: "terminal-first-frame",
    title: "First frame of the terminal UI",
    subject: "resumable-mcp",
    peer: "one line of Ink, bundled the same way",
    unit: "ms",
    target: { atMost: 1.5 },
    async prepare() {
      const folder = await mkdtemp(join(tmpdir(), "bench-frame-"));
      const oneLine = fileURLToPath(new URL("one-line.js", import.meta.url));
      // No server listens there: the first frame waits for no answer.
      const words = ["--url", "http://127.0.0.1:1/mcp", "--state", join(folder, "state.json")];
      return {
        subject: () => timeToShow(terminalProgram, words, /Looking for your tasks/),
        peer: () => timeToShow(oneLine, [], /one line of text/),
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  };
}

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
/** One process serves them all, and each task moves once a second: two cores are not to measure the servers. */
const boardOrder = { servers: 13, tickMs: 1_000 };

/** From a key to the frame that shows what it did, while 208 tasks of 13 servers move once a second each. */
export function keyMeasure(): Measure {
  return {
    id: "terminal-key",
    title: "Key to redraw with 208 live tasks that move once a second, median of 8 keys",
    subject: "the list of tasks, sorted by a key",
    peer: "the limit",
    unit: "ms",
    target: { atMost: 1 },
    async prepare() {
      const board = await openTaskBoard(boardOrder);
      return {
        async subject() {
          const times: number[] = [];
          for (let cycle = 0; cycle < 2; cycle += 1) {
            for (const title of sorted) {
              await delay(leastPauseMs + Math.random() * (mostPauseMs - leastPauseMs));
              board.terminal.press("s");
              times.push(await board.terminal.shows(title));
            }
            board.terminal.press("s");
            await delay(mostPauseMs);
          }
          return spreadOf(times).median;
        },
        peer: async () => limitMs,
        dispose: () => board.close(),
      };
    },
  };
}

/** Share of one core that the program may need for a list that is only looked at. */
const processorLimit = 200;
/** As long as the program takes between two refreshes of its list: every round has the same work. */
const processorRoundMs = 5_000;

/** Processor time of the program alone, which no other process of a busy machine adds to. */
export function processorMeasure(): Measure {
  return {
    id: "terminal-processor",
    title: "Processor time of the terminal UI with 208 live tasks that move once a second, for each second",
    subject: "the list of tasks",
    peer: "the limit",
    unit: "ms",
    target: { atMost: 1 },
    async prepare() {
      const board = await openTaskBoard(boardOrder);
      return {
        async subject() {
          const start = performance.now();
          const before = (await board.terminal.vitals()).processorMs;
          await delay(processorRoundMs);
          const used = (await board.terminal.vitals()).processorMs - before;
          return (used / (performance.now() - start)) * 1_000;
        },
        peer: async () => processorLimit,
        dispose: () => board.close(),
      };
    },
  };
}

/** Events that are received before the memory at the beginning is read, and in each round after it. */
const warmUpEvents = 10_000;
const eventsEachRound = 6_000;

/** What is left in the heap after a collection, while 100,000 events are received, against 10,000. */
export function terminalMemoryMeasure(): Measure {
  return {
    id: "terminal-memory",
    title: "Heap of the terminal UI over 100,000 received events",
    subject: "in the course of them",
    peer: "after the first 10,000",
    unit: "MiB",
    target: { atMost: 1.2 },
    async prepare() {
      const board = await openTaskBoard({ servers: 13, tickMs: 200 });
      const passEvents = async (count: number) => {
        const until = (await board.events()) + count;
        while ((await board.events()) < until) await delay(leastPauseMs);
      };
      await passEvents(warmUpEvents);
      const before = (await board.terminal.vitals({ collect: true })).heapMiB;
      return {
        async subject() {
          await passEvents(eventsEachRound);
          return (await board.terminal.vitals({ collect: true })).heapMiB;
        },
        peer: async () => before,
        dispose: () => board.close(),
      };
    },
  };
}
