import { setTimeout as sleep } from "node:timers/promises";
import { itemsTo, journalProblems } from "../clients/row.js";
import type { Over } from "../clients/server-under-test.js";
import type { Program } from "../program.js";
import { type AskedCall, type Bench, installedName, usualLimitSeconds } from "./bench.js";
import { nextCall } from "./script.js";
import type { Turn } from "./scripted-model.js";
import { during, shown, within } from "./wait.js";

/** What came of one row with one host over one transport. */
export type Cell =
  | { readonly seen: string }
  /** Why the host cannot do that. */
  | { readonly reason: string }
  | { readonly problems: readonly string[] };

/** What a host goes through. */
export interface Row {
  readonly name: string;
  /** As the table says it. */
  readonly title: string;
  /** The one transport that it is about. */
  readonly over?: Over;
  run(bench: Bench): Promise<Cell>;
}

const holdAfter = 3;
const wrappedTool = "count_plainly";
/** The host's limit in the row that goes beyond it; the tool's handoff comes before. */
const lowLimitSeconds = 15;
const beyondMs = 1_000;
const seenHandoff = "handoff, `wait_for_task`, once";
/** What an error of the code `OUTCOME_UNKNOWN` says; not each host passes on the code. */
const unknownOutcome = "may or may not have taken effect";

export const rows: readonly Row[] = [
  {
    name: "install",
    title: "the server that `install` wrote",
    over: "stdio",
    async run(bench) {
      const call = bench.ask("install", "count_units");
      const { listing } = await bench.useInstalled(call);
      if (listing?.includes(installedName)) return { seen: "listed" };
      // Its store is that of `install`.
      const problems = listing === undefined ? await workProblems(bench, call) : [`it lists ${listing}`];
      return problems.length === 0 ? { seen: "called, once" } : { problems };
    },
  },
  {
    name: "call",
    title: "lists the tools, and calls one",
    async run(bench) {
      const call = bench.ask("call", "count_units");
      await toItsEnd(bench, call);
      return judged(bench, call);
    },
  },
  {
    name: "kill-tool",
    title: "SIGKILL of the tool's process during the call",
    async run(bench) {
      const call = bench.ask("kill-tool", "count_units", { holdAfter });
      const { program, pid } = await untilHeld(bench, call);
      await bench.server.kill(pid);
      await bench.open(call);
      await ended(program);
      return judged(bench, call, { processes: 2 });
    },
  },
  {
    name: "kill-host",
    title: "SIGKILL of the host, and the same call in a new one",
    run: (bench) => inNewHost(bench, "kill-host", "SIGKILL"),
  },
  {
    name: "beyond-limit",
    title: "a call beyond the host's limit",
    async run(bench) {
      const call = bench.ask("beyond-limit", "count_slowly", { holdAfter });
      const program = await bench.start(call, { limitSeconds: lowLimitSeconds });
      await handedOff(bench, call, program);
      await openBeyond(bench, call, program, lowLimitSeconds);
      return judged(bench, call, { seen: seenHandoff });
    },
  },
  {
    name: "question",
    title: "a question",
    async run(bench) {
      const call = bench.ask("question", "ask_name", { answer: { name: "Ada" } });
      await toItsEnd(bench, call);
      const last = lastResult(bench, call);
      const given = ["decline", "cancel"].find((action) => last.includes(`(${action})`));
      if (given !== undefined) return { reason: `no person: it answers \`${given}\` by itself` };
      const isAnswer = ({ reply }: Turn) => reply.kind === "call" && JSON.stringify(reply).includes("answer_task");
      const byTool = bench.model.turnsOf(call.prompt).some(isAnswer);
      return judged(bench, call, { result: '"name":"Ada"', seen: byTool ? "`answer_task`, once" : "once" });
    },
  },
  {
    name: "interrupt",
    title: "SIGINT of the host, and the same call in a new one",
    run: (bench) => inNewHost(bench, "interrupt", "SIGINT"),
  },
  {
    name: "failure",
    title: "a tool that fails, and the same call",
    async run(bench) {
      const call = bench.ask("failure", "count_or_fail", { holdAfter });
      await toItsEnd(bench, call);
      const { status } = await bench.server.journals.facts(call.label);
      if (status !== "failed") return { problems: [`the task is ${status}, not failed`] };
      await bench.open(call);
      await toItsEnd(bench, call);
      return judged(bench, call);
    },
  },
  {
    name: "finished",
    title: "the same call after its end",
    async run(bench) {
      const call = bench.ask("finished", "count_units");
      await toItsEnd(bench, call);
      await toItsEnd(bench, call);
      // A result that was delivered is not kept for a call: another one begins a new task.
      const { tasks } = await bench.server.journals.facts(call.label);
      return judged(bench, call, tasks === 2 ? { tasks, seen: "a new task" } : { seen: "the same result" });
    },
  },
  {
    name: "wrapped",
    title: "a foreign server behind `wrap install`: a call, and one of more than a minute",
    over: "stdio",
    async run(bench) {
      const [call, long] = [bench.ask("wrapped", wrappedTool), bench.ask("wrapped-long", wrappedTool, { holdAfter })];
      await ended(await bench.start(call, { wrapped: true }));
      const program = await bench.start(long, { wrapped: true });
      const isBeyond = bench.limitSeconds <= usualLimitSeconds;
      if (isBeyond) await handedOff(bench, long, program);
      await openBeyond(bench, long, program, usualLimitSeconds);
      const problems = [...(await workProblems(bench, call)), ...(await workProblems(bench, long))];
      if (problems.length > 0) return { problems };
      return { seen: isBeyond ? seenHandoff : `once, within its limit of ${bench.limitSeconds} s` };
    },
  },
  {
    name: "wrapped-kill",
    title: "its SIGKILL during a call; SIGKILL of the host, and the same call in a new one",
    over: "stdio",
    async run(bench) {
      const call = bench.ask("wrapped-kill", wrappedTool, { holdAfter });
      const program = await bench.start(call, { wrapped: true });
      process.kill(await during(program, "its gate", bench.foreignHeld(call)), "SIGKILL");
      await ended(program);
      const next = bench.ask("wrapped-host", wrappedTool, { holdAfter });
      const killed = await bench.start(next, { wrapped: true });
      await during(killed, "its gate", bench.foreignHeld(next));
      await within(killed, "the end after SIGKILL", killed.stop());
      await ended(await bench.start(next, { wrapped: true }));
      const problems = [...(await unknownProblems(bench, call)), ...(await unknownProblems(bench, next))];
      return problems.length === 0 ? { seen: "`OUTCOME_UNKNOWN`, never called twice" } : { problems };
    },
  },
];

async function handedOff({ model }: Bench, { prompt }: AskedCall, program: Program): Promise<void> {
  const isHandoff = (turns: readonly Turn[]) => turns.find(({ results }) => nextCall(results.at(-1) ?? ""));
  await during(program, "a handoff", model.until(prompt, isHandoff));
}

/** Opens the gate of a call only after so many seconds: that they pass is what the row is about. */
async function openBeyond(bench: Bench, call: AskedCall, program: Program, seconds: number): Promise<void> {
  const begun = await during(program, "the call", bench.model.until(call.prompt, calledAt));
  await sleep(begun + seconds * 1_000 + beyondMs - Date.now());
  await bench.open(call);
  await ended(program);
}

/** Starts a call and waits until its task is at its gate, with all before it in the journal. */
async function untilHeld(bench: Bench, call: AskedCall): Promise<{ readonly program: Program; readonly pid: number }> {
  await bench.server.ready();
  const program = await bench.start(call);
  const coming = bench.server.journals.untilItems(call.label, call.holdAfter);
  return { program, pid: await during(program, `${call.holdAfter} items in the journal`, coming) };
}

/** Ends a host during a call, and makes the same call in a new one. */
async function inNewHost(bench: Bench, label: string, signal: NodeJS.Signals): Promise<Cell> {
  const call = bench.ask(label, "count_units", { holdAfter });
  const { program } = await untilHeld(bench, call);
  await within(program, `the end after ${signal}`, program.stop(signal));
  const next = await bench.start(call);
  const isSecond = (turns: readonly Turn[]) => turns.filter(({ results }) => results.length === 0)[1];
  await during(next, "the same call", bench.model.until(call.prompt, isSecond));
  await bench.open(call);
  await ended(next);
  return judged(bench, call);
}

async function toItsEnd(bench: Bench, call: AskedCall): Promise<void> {
  await ended(await bench.start(call));
}

async function ended(program: Program): Promise<void> {
  const code = await within(program, "its end", program.ended);
  if (code !== 0) throw new Error(`The host ended with ${code}. It wrote: ${shown(program)}`);
}

const calledAt = ([turn]: readonly Turn[]): number | undefined => turn?.at;

/** What the host gave its model last. */
function lastResult({ model }: Bench, { prompt }: AskedCall): string {
  const results = model.turnsOf(prompt).flatMap((turn) => turn.results);
  return results.at(-1) ?? "no result";
}

/** What a call has to come to; without this to its count, in one process. */
interface Expected {
  readonly result?: string;
  readonly processes?: number;
  readonly tasks?: number;
  readonly seen?: string;
}

/** Judges a call by what its model received, by the journals, and by the side file. */
async function judged(bench: Bench, call: AskedCall, expected: Expected = {}): Promise<Cell> {
  const { processes = 1, tasks = 1, seen = "once" } = expected;
  const facts = await bench.server.journals.facts(call.label);
  const problems = [
    ...(await workProblems(bench, call, expected)),
    ...journalProblems({ ...facts, tasks: facts.tasks - tasks + 1 }, unitsIn(call, tasks), processes),
  ];
  return problems.length === 0 ? { seen } : { problems };
}

/** What the model received and what is in the side file, if it is wrong. */
async function workProblems(
  bench: Bench,
  call: AskedCall,
  { result = `"counted":${call.units}`, tasks = 1 }: Expected = {},
): Promise<readonly string[]> {
  const units = await bench.unitsOf(call);
  const last = lastResult(bench, call);
  return [
    // Some hosts put the result into a text, which is in another.
    ...(last.replaceAll(/[\\\s]/g, "").includes(result) ? [] : [`the model's last result is ${last}`]),
    ...(String(units) === String(unitsIn(call, tasks)) ? [] : [`the units done are ${units.join(", ")}`]),
  ];
}

/** A call whose server died at its gate: the model hears so, and no unit was done twice. */
async function unknownProblems(bench: Bench, call: AskedCall): Promise<readonly string[]> {
  const [last, units] = [lastResult(bench, call), await bench.unitsOf(call)];
  return [
    ...(last.includes(unknownOutcome) ? [] : [`the model's last result is ${last}`]),
    ...(String(units) === String(itemsTo(call.holdAfter)) ? [] : [`the units done are ${units.join(", ")}`]),
  ];
}

function unitsIn({ units }: AskedCall, tasks: number): readonly number[] {
  return Array.from({ length: tasks }, () => itemsTo(units)).flat();
}

/** Runs a row; what is thrown is a problem, too. */
export async function runRow(row: Row, bench: Bench): Promise<Cell> {
  try {
    return await row.run(bench);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
}
