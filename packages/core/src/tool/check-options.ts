import { durationProblem, readDuration } from "../duration.js";
import { ResumableError } from "../errors.js";
import { fixedLimits } from "../limits.js";
import { unknownKeys } from "./known-keys.js";
import { retryProblems } from "./retry-policy.js";
import { isSchema } from "./schema.js";
import type { ToolOptions } from "./tool-options.js";

/**
 * Refuses options that the types refuse too, for authors who write JavaScript, and what types cannot see.
 *
 * @throws {@link ResumableError} `INVALID_OPTION`.
 */
export function checkOptions(options: object, kind: "generator" | "function"): void {
  const { name } = options as Partial<ToolOptions>;
  const option = `tool ${JSON.stringify(name)}`;
  const [problem] = problemsOf(options, kind);
  if (problem === undefined) return;
  throw new ResumableError("INVALID_OPTION", `${option}: ${problem}`, { details: { option } });
}

const validName = /^[A-Za-z0-9_.-]{1,64}$/;

function* problemsOf(options: Partial<ToolOptions>, kind: "generator" | "function"): Generator<string> {
  const { name, run, accepts, requiredScopes = [] } = options;
  if (typeof name !== "string" || !validName.test(name)) {
    yield "name must be 1 to 64 letters, digits, underscores, hyphens or dots.";
  }
  const badScope = requiredScopes.find((scope) => !isScope(scope));
  if (badScope !== undefined) yield `${JSON.stringify(badScope)} is not a valid scope.`;
  for (const clause of unknownKeys(options, knownOptions, "a tool")) yield `${clause}.`;
  for (const key of ["input", "output", "item"] as const) {
    const isLeftOut = key !== "input" && options[key] === undefined;
    // The schemas of some libraries are functions.
    if (!isLeftOut && Object(options[key]) !== options[key])
      yield `${key} must be a schema: z.object({ … }), or plain JSON Schema.`;
  }
  if (typeof run !== "function") yield "run must be a function.";
  for (const key of durations) {
    const value = options[key];
    if (value !== undefined && readDuration(value) === undefined) yield `${key} ${durationProblem(value)}.`;
  }
  for (const clause of storeLimitProblems(options)) yield `${clause}.`;
  for (const clause of options.retry === undefined ? [] : retryProblems(options.retry)) yield `retry: ${clause}.`;
  for (const key of ["migrate", "onVersionChange"] as const) {
    if (options[key] !== undefined && accepts === undefined)
      yield `${key} is for tasks of other versions: name these in accepts: ["1"], or all with "*".`;
  }
  for (const [key, value] of Object.entries(options)) {
    if (schemaOptions.has(key) && isShape(value)) {
      yield `${key} is one schema: write z.object({ … }) around the properties.`;
    }
    if (value !== undefined && kind === "function" && checkpointOptions.has(key)) {
      yield `a tool without checkpoints has no ${key}: make run an async generator (async *run, compiled for ES2018 or later), and yield.`;
    }
    if (value !== undefined && kind === "generator" && key === "durable") {
      yield "durable is for tools without checkpoints: one with checkpoints continues after a crash.";
    }
  }
}

function* storeLimitProblems({ maxRunningInStore, rate }: Partial<ToolOptions>): Generator<string> {
  const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxInStore;
  const rule = `must be a whole number from 1 to ${maxInStore}`;
  if (maxRunningInStore !== undefined && !isCount(maxRunningInStore)) yield `maxRunningInStore ${rule}`;
  if (rate === undefined) return;
  for (const clause of unknownKeys(Object(rate), rateOptions, "rate")) yield clause;
  const { limit, per } = Object(rate);
  if (!isCount(limit))
    yield `rate: limit ${rule}. A larger rate is the same in a shorter time: 5,000 in "1m" is 500 in "6s"`;
  const perMs = readDuration(per) ?? 0;
  if (!(perMs > 0 && Number.isFinite(perMs))) yield `rate: per ${durationProblem(per)}`;
}

const { maxInStore } = fixedLimits;
const rateOptions: ReadonlySet<string> = new Set(["limit", "per"]);

/** Tells whether a text is one scope. Source: RFC 6749, section 3.3, `scope-token`. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

function isShape(value: unknown): boolean {
  return typeof value === "object" && value !== null && !isSchema(value) && Object.values(value).some(isSchema);
}

const schemaOptions: ReadonlySet<string> = new Set(["input", "output", "item", "state"]);
const checkpointOptions: ReadonlySet<string> = new Set(["state", "migrate"]);

const durations = ["attemptTimeout", "stallTimeout", "ttl", "handoffAfter"] as const;

const knownOptions: ReadonlySet<string> = new Set(
  Object.keys({
    name: true,
    title: true,
    description: true,
    version: true,
    accepts: true,
    annotations: true,
    icons: true,
    input: true,
    output: true,
    state: true,
    item: true,
    run: true,
    content: true,
    key: true,
    label: true,
    migrate: true,
    retry: true,
    limits: true,
    attemptTimeout: true,
    stallTimeout: true,
    maxRunning: true,
    maxRunningInStore: true,
    rate: true,
    ttl: true,
    handoffAfter: true,
    onCallerCancel: true,
    durable: true,
    onFailure: true,
    onVersionChange: true,
    clientIdArgument: true,
    requiredScopes: true,
    taskSupport: true,
  } satisfies Record<keyof ToolOptions, true>),
);
