import type { english } from "./english.js";

type Widened<Value> = Value extends string
  ? string
  : Value extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof Value]: Widened<Value[Key]> };

/** A catalogue: every text of the panel in one language. */
export type Texts = Widened<typeof english>;
