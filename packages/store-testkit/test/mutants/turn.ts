/** Lets everybody else go on for a moment: the window between looking and writing. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
