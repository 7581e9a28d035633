import { isFinal, type TaskRecord } from "@resumable-mcp/core";
import type { NewSignal, NewTask, TaskEventBody } from "@resumable-mcp/core/store";
import { asked, cancelled, checkpoint, completed, failed, mapped, restarted, started } from "../event-samples.js";

const questions = ["go", "stop", "__proto__"];

/** Whose task, and for which call. */
export function randomTaskParts(random: RandomSource): Partial<NewTask> {
  return {
    owner: random.percent(50) ? "client:a" : "client:b",
    key: random.percent(80) ? (random.pick(["one", "two"]) ?? null) : null,
    detached: random.percent(50),
  };
}

/** None to three events that can follow a record. */
export function randomEvents(random: RandomSource, record: TaskRecord): readonly TaskEventBody[] {
  if (isFinal(record.status)) {
    return random.percent(75) ? [restarted(record.generation + 1, random.percent(50))] : [];
  }
  const count = random.below(4);
  const events = Array.from({ length: count }, () => randomEvent(random));
  const end = random.pick([completed, failed, cancelled]);
  return end !== undefined && random.percent(25) ? [...events, end] : events;
}

function randomEvent(random: RandomSource): TaskEventBody {
  const number = random.below(1_000);
  const events: readonly TaskEventBody[] = [
    started,
    { type: "attempt_ended", reason: "crashed" },
    checkpoint(number),
    checkpoint(number, [number, { row: number }]),
    mapped(`map-${number % 2}`, number, [number]),
    { type: "step", key: `step-${number % 5}`, value: number },
    { type: "step_failed", key: `step-${number % 5}`, attempt: 1, error: { code: "TOOL_FAILED", message: "503" } },
    { type: "called", key: `call-${number % 3}`, tool: "add", child: "0123456789abcdef" },
    { type: "returned", key: `call-${number % 3}`, value: number },
    { type: "log", level: "info", data: number },
    { type: "desiredState", desiredState: number % 2 === 0 ? "run" : "pause" },
    asked(questions[number % questions.length] ?? "go"),
  ];
  return random.pick(events) ?? started;
}

/** Any signal. */
export function randomSignal(random: RandomSource): NewSignal {
  const key = random.pick(questions) ?? "go";
  const signals: readonly NewSignal[] = [
    { kind: "pause" },
    { kind: "resume" },
    { kind: "cancel" },
    { kind: "detach" },
    { kind: "delivered" },
    { kind: "undelivered" },
    { kind: "offer" },
    { kind: "answer", key, answer: { action: "decline" } },
    { kind: "answer", key, answer: { action: "accept", content: { go: true } } },
  ];
  return random.pick(signals) ?? { kind: "resume" };
}

/** Choices that a seed repeats. */
export interface RandomSource {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** True in so many of a hundred cases. */
  percent(chance: number): boolean;
  /** One of the values; `undefined` when there is none. */
  pick<Value>(values: readonly Value[]): Value | undefined;
}

/** Makes choices out of a seed (mulberry32). */
export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    percent: (chance) => below(100) < chance,
    pick: (values) => values[below(values.length)],
  };
}
