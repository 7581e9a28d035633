/*
 * Lets threads run in turns: of all actors and the one who directs them, one runs at a time, and each says itself when it
 * gives its turn away. Everything is synchronous, so that an actor can be stopped in the midst of synchronous code.
 */

/** What an actor and its director share. */
export interface TurnMemory {
  readonly cells: SharedArrayBuffer;
  readonly text: SharedArrayBuffer;
}

/** What the director tells an actor. */
export type Cue =
  | { readonly kind: "go" }
  /** The process dies here: nothing that it does from now on reaches the disk. */
  | { readonly kind: "die" }
  | { readonly kind: "begin"; readonly directory: string; readonly taskId: string; readonly name: string }
  | { readonly kind: "perform"; readonly part: "write" | "take" | "read"; readonly byOperation: boolean };

/** What an actor tells its director. */
export type Report =
  | { readonly kind: "stopped"; readonly at: string }
  | { readonly kind: "finished"; readonly facts: readonly Fact[]; readonly error?: string };

/** What an actor may rely on. */
export type Fact =
  /** Its commit counts. */
  | { readonly kind: "acknowledged"; readonly epoch: number; readonly seq: number; readonly mark: string }
  /** It was shown these marks, in this order. */
  | { readonly kind: "saw"; readonly marks: readonly string[] };

const [director, actor] = [1, 0];
/** An actor may wait long, until others have played; no turn takes as long as this. */
const patienceMs = 100_000;

export function createTurnMemory(): TurnMemory {
  return { cells: new SharedArrayBuffer(8), text: new SharedArrayBuffer(64 * 1024) };
}

function write({ cells, text }: TurnMemory, message: Cue | Report): void {
  const bytes = Buffer.from(JSON.stringify(message));
  new Uint8Array(text).set(bytes);
  Atomics.store(new Int32Array(cells), 1, bytes.byteLength);
}

function read({ cells, text }: TurnMemory): string {
  const length = Atomics.load(new Int32Array(cells), 1);
  return Buffer.from(new Uint8Array(text, 0, length)).toString("utf8");
}

function pass(memory: TurnMemory, from: number, to: number): void {
  const cells = new Int32Array(memory.cells);
  Atomics.store(cells, 0, to);
  Atomics.notify(cells, 0);
  awaitTurn(cells, to, from === director ? patienceMs : Number.POSITIVE_INFINITY);
}

/** Waits until it is not another's turn: a late notification of the turn before may wake an actor that waits already. */
function awaitTurn(cells: Int32Array<SharedArrayBuffer>, other: number, timeoutMs: number): void {
  while (Atomics.load(cells, 0) === other) {
    if (Atomics.wait(cells, 0, other, timeoutMs) === "timed-out")
      throw new Error("an actor did not give its turn back");
  }
}

/** The director gives an actor its turn, and waits for its report. */
export function direct(memory: TurnMemory, cue: Cue): Report {
  write(memory, cue);
  pass(memory, director, actor);
  return JSON.parse(read(memory));
}

/** An actor gives its turn back, and waits for the next cue. */
export function report(memory: TurnMemory, message: Report): Cue {
  write(memory, message);
  pass(memory, actor, director);
  return JSON.parse(read(memory));
}

/** The first turn is the director's: an actor that has just begun waits for its first cue. */
export function awaitFirstCue(memory: TurnMemory): Cue {
  awaitTurn(new Int32Array(memory.cells), director, Number.POSITIVE_INFINITY);
  return JSON.parse(read(memory));
}

/** Says, before the actors begin, whose turn it is. */
export function giveFirstTurnToDirector({ cells }: TurnMemory): void {
  Atomics.store(new Int32Array(cells), 0, director);
}
