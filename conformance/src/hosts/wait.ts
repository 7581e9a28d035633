import type { Program } from "../program.js";

/** After this time something that does not come is a failure. */
const patienceMs = 60_000;
const shownCharacters = 2_000;

/** The last that a program wrote. */
export function shown(program: Program): string {
  return `${program.stdout()}\n${program.stderr()}`.trim().slice(-shownCharacters);
}

/** Waits for something that a program does, and says what it wrote when it does not come in time. */
export async function within<Value>(
  program: Program,
  what: string,
  coming: Promise<Value>,
  limitMs = patienceMs,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error(`Within ${limitMs} ms came not ${what}. The program wrote: ${shown(program)}`));
    timer = setTimeout(fail, limitMs);
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}

/** The same for what comes only while the host runs. */
export function during<Value>(program: Program, what: string, coming: Promise<Value>): Promise<Value> {
  const early = program.ended.then((code) => {
    throw new Error(`The host ended with ${code} before ${what}. It wrote: ${shown(program)}`);
  });
  return within(program, what, Promise.race([coming, early]));
}
