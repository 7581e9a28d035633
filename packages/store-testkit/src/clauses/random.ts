import type { Clause } from "../clause.js";
import { runRandomSequence } from "../random/random-sequence.js";

/** Sequences that nobody thought of. */
export const randomClauses: readonly Clause[] = [
  {
    id: "RANDOM-1",
    level: "MUST",
    title: "does the same as a simple model in random sequences of calls",
    because: "The clauses above are what people thought of; stores break in between.",
    check: (scene) => runRandomSequence(scene, { steps: 250, crashes: false }),
  },
  {
    id: "RANDOM-2",
    level: "MUST",
    title: "does the same as a simple model in random sequences of calls with crashes between them",
    because: "What a store has on its disk is all that it has after a crash.",
    needs: "reopen",
    check: (scene) => runRandomSequence(scene, { steps: 150, crashes: true }),
  },
];
