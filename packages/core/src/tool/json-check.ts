import type { Json } from "../json.js";

/** In the place of a type: why TypeScript refuses a value there. No value has this type. */
export interface Refused<Because extends string> {
  readonly because: Because;
}

/**
 * What a type must fit so that JSON can hold its values: `Value & JsonCheck<Value>` is `Value` again, or has a {@link Refused} in the
 * place of each part that JSON cannot hold.
 *
 * {@link Json} itself takes no value whose type is an interface, since an interface has no index signature.
 */
export type JsonCheck<Value> = [Value] extends [Json]
  ? unknown
  : unknown extends Value
    ? Refused<"unknown may be anything: check it with a schema first">
    : [Value] extends [undefined]
      ? Refused<"JSON has no undefined: use null">
      : // biome-ignore lint/suspicious/noConfusingVoidType: a step may return nothing.
        [Value] extends [void]
        ? unknown
        : PartCheck<Value>;

type PartCheck<Part> = Part extends string
  ? Text
  : Part extends number
    ? Numeric
    : Part extends boolean
      ? Truth
      : Part extends null
        ? null
        : Part extends undefined
          ? Refused<"JSON has no undefined: use null">
          : Part extends bigint | symbol
            ? Refused<"JSON has no bigint and no symbol: make it a string">
            : Part extends Date
              ? Refused<"JSON has no dates: make it a string or a number">
              : Part extends ReadonlySet<unknown> | ReadonlyMap<unknown, unknown>
                ? Refused<"JSON has no Set and no Map: make it a list or an object">
                : Part extends (...args: never) => unknown
                  ? Refused<"JSON has no functions">
                  : {
                      readonly [Key in keyof Part]:
                        | JsonCheck<Exclude<Part[Key], undefined>>
                        | Extract<Part[Key], undefined>;
                    };

/**
 * What all strings, numbers and booleans have. With the primitive types in their place TypeScript would infer literal types: a state
 * `{ at: 0 }` could not become `{ at: 1 }`.
 */
type Text = Pick<string, "charCodeAt">;
type Numeric = Pick<number, "toExponential">;
interface Truth {
  valueOf(): boolean;
}
