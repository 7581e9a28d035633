import type { Json } from "../json.js";
import type { RunCheck } from "./run-check.js";
import type { InferOutput, SchemaCheck, StandardSchema } from "./schema.js";
import type { Checkpoint, ContentBlock, TaskContext, ToolFacts } from "./tool.js";

/**
 * What a tool author writes. The types of input, output, state and items follow from it.
 *
 * `input`, `output` and `item` are each a Standard Schema, such as those of zod, or plain JSON Schema.
 */
export interface ToolOptions<
  Input = unknown,
  Output = unknown,
  State = unknown,
  Item = unknown,
  Returned = Json,
  Yielded = CheckpointOf<State, Item>,
> extends ToolFacts {
  readonly input: Input & SchemaCheck<Input, "input">;
  /** Schema of what `run` returns. Default: any JSON. */
  readonly output?: Output & SchemaCheck<Output, "output">;
  /**
   * The first state; its type is the type of the state. Write `[] as string[]` and `null as string | null` where the value does not
   * show the type, or give a schema with a default, which is checked on every resume.
   */
  readonly state?: State & SchemaCheck<State, "state">;
  /** Schema of what checkpoints and maps append. Default: any JSON. */
  readonly item?: Item & SchemaCheck<Item, "item">;
  /** Converts a state that another version of the tool left. */
  readonly migrate?: (state: Json, fromVersion: string) => unknown;
  /** Makes the content of the result. Default: the output as JSON text. */
  readonly content?: (output: InferOutput<Output>) => readonly ContentBlock[];
  /** What "the same call" means; `null`: every call is a new task. Default: the whole input. */
  readonly key?: (input: InferOutput<Input>) => Json | null;
  /**
   * Names a task among others of its tool, for its owner: one line, cut at 80 characters; "" for none. The task keeps what
   * the call gave that made it. Default: the first short texts among the arguments, without those whose names or values look like secrets.
   */
  readonly label?: (input: InferOutput<Input>) => string;
  /**
   * For a tool without checkpoints: after a crash it runs again, from its first unfinished step. So does one that is annotated
   * `readOnlyHint` or `idempotentHint`, or of which a step, map, question or sleep is remembered; of any other the outcome is unknown.
   */
  readonly durable?: boolean;
  /**
   * An async generator, in which every `yield` is a durable checkpoint; or a plain async function, a tool without checkpoints, which
   * may still use `step`, `map`, `ask` and `sleep`.
   */
  // From here, no types of schemas and state are inferred: that would not end.
  readonly run: RunCheck<
    NoInfer<Yielded>,
    CheckpointOf<NoInfer<State>, NoInfer<Item>>,
    NoInfer<Returned>,
    NoInfer<Output>,
    NoInfer<State>
  > &
    Run<
      InferOutput<Input>,
      TaskContext<StateOf<NoInfer<State>>, InferOutput<NoInfer<Item>>>,
      CheckpointOf<NoInfer<State>, NoInfer<Item>>,
      InferOutput<NoInfer<Output>>,
      Yielded,
      Returned
    >;
}

/** `run` as it is inferred: {@link RunCheck} checks what it yields and returns, and the wanted types are what an editor suggests. */
type Run<Input, Task, WantedCheckpoint, WantedOutput, Yielded, Returned> = (
  input: Input,
  task: Task,
) =>
  | AsyncGenerator<Yielded, Returned, void>
  | Promise<Returned>
  | AsyncGenerator<WantedCheckpoint, WantedOutput, void>
  | Promise<WantedOutput>
  | AsyncIterator<Checkpoint<Literals, Literals>, Literals, void>
  | PromiseLike<Literals>;

type CheckpointOf<State, Item> = Checkpoint<Written<State, StateOf<State>>, Written<Item, InferOutput<Item>>>;

/** What an option's type says about what is written; without that option it is checked when the tool runs. */
type Written<Option, Value> = unknown extends Option ? unknown : Value;

/**
 * Tells TypeScript that literals keep their types: `{ status: "done" }` is of a type with "done" and not of one with any string. It does
 * so only where a literal type is expected, and does not know yet what a schema expects when it reads the tool's code.
 */
interface Literals {
  /** No value has this: the type takes nothing. */
  readonly [taken]: never;
  readonly [name: string]: Literal | readonly Literal[];
}
type Literal = "" | 0 | true | Literals;
declare const taken: unique symbol;

/** The type of the state, from a first value or from a schema. */
type StateOf<State> = unknown extends State ? Json : State extends StandardSchema ? InferOutput<State> : Grown<State>;

/** A first value of `null` or `[]` without a declared type may become anything. */
type Grown<Value> = [Value] extends [null]
  ? Json
  : Value extends readonly never[]
    ? Json[]
    : Value extends object
      ? { [Key in keyof Value]: Grown<Value[Key]> }
      : Value;
