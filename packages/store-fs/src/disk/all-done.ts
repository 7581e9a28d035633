/**
 * Waits until everything has ended, then fails with the first failure, if there was one: what goes on afterwards finds
 * nothing under way any more.
 */
export async function allDone(work: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
