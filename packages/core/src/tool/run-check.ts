import type { JsonCheck, Refused } from "./json-check.js";
import type { InferOutput } from "./schema.js";

/** What a tool without checkpoints yields. */
export interface NoCheckpoints {
  readonly [without]: never;
}
declare const without: unique symbol;

/**
 * What a `run` that yields and returns such types must fit: anything, or a {@link Refused} that says which part of them does not fit.
 * TypeScript itself would name the part after all types of the function.
 *
 * What is not inferred yet is `never`, and fits: TypeScript checks the options first without the code of `run`.
 */
export type RunCheck<Yielded, Wanted, Returned, Output, State> = [Returned] extends [never]
  ? unknown
  : [Yielded] extends [NoCheckpoints]
    ? // What yields `any`, or nothing before it returns, has checkpoints.
      [Yielded, unknown] extends [Wanted, unknown] | [unknown, State]
      ? OutputCheck<Returned, Output>
      : Refused<"a tool without checkpoints has no state: write async *run, and yield">
    : [Yielded, OtherKey<Yielded, Wanted>] extends [Wanted, never]
      ? OutputCheck<Returned, Output>
      : Reason<CheckpointMisfit<Yielded, Wanted>, AsyncGenerator<Wanted, unknown, void>>;

type CheckpointMisfit<Yielded, Wanted> =
  Kind<Yielded> extends "an object"
    ? OtherKey<Yielded, Wanted> | Misfit<Yielded, Wanted, "checkpoint">
    : `a tool yields { progress?, total?, state?, append?, message? }, not ${Kind<Yielded>}`;

type OtherKey<Yielded, Wanted> = Yielded extends unknown
  ? Exclude<keyof Yielded, keyof Wanted> extends infer Key extends string
    ? string extends Key
      ? never
      : `a checkpoint has progress, total, state, append and message: ${Key} is none of them`
    : never
  : never;

type OutputCheck<Returned, Output> = Fits<Returned, unknown extends Output ? JsonCheck<Returned> : InferOutput<Output>>;

type Fits<Returned, Output> = [Returned] extends [Output]
  ? unknown
  : Reason<Misfit<Returned, Output, "output">, AsyncGenerator<unknown, Output, void> | Promise<Output>>;

/** Where no part is found, such as in a tuple, TypeScript says by itself why `run` does not fit. */
type Reason<Misfits extends string, Wanted> = [Misfits] extends [never]
  ? (...given: never) => Wanted
  : Refused<Misfits>;

/** Says which parts of a type do not fit another one. */
type Misfit<Got, Wanted, Place extends string> = Got extends Wanted
  ? never
  : [Wanted] extends [Refused<infer Because>]
    ? `${Place}: ${Because}`
    : [Got, Wanted] extends [readonly (infer GotItem)[], readonly (infer WantedItem)[]]
      ? Misfit<GotItem, WantedItem, `${Place}[]`>
      : [Kind<Got>, Kind<Wanted>] extends ["an object", "an object"]
        ? { [Key in keyof Wanted & string]: PartMisfit<Got, Wanted, Key, `${Place}.${Key}`> }[keyof Wanted & string]
        : `${Place} is ${Kind<Got>}, not ${Kind<Wanted>}`;

type PartMisfit<Got, Wanted, Key extends keyof Wanted, Place extends string> = Key extends keyof Got
  ? [Got[Key]] extends [Wanted[Key]]
    ? never
    : Misfit<Exclude<Got[Key], Extract<Wanted[Key], undefined>>, Exclude<Wanted[Key], undefined>, Place>
  : undefined extends Wanted[Key]
    ? never
    : string extends Key
      ? never
      : `${Place} is missing`;

type Kind<Value> = unknown extends Value
  ? "unknown"
  : Value extends string
    ? string extends Value
      ? "a string"
      : `'${Value}'`
    : Value extends number
      ? number extends Value
        ? "a number"
        : `${Value}`
      : Value extends boolean | null
        ? `${Value}`
        : Value extends void
          ? "undefined"
          : Value extends readonly unknown[]
            ? "a list"
            : Value extends PromiseLike<unknown>
              ? "a promise"
              : "an object";
