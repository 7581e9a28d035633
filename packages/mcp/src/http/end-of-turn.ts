let ending: Promise<void> | undefined;

/** Resolves with the end of this turn of the event loop, for all that wait for it at once. */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
