/** What `doctor` found out about one thing: what is wrong and what to do, or else what is so. */
export interface Finding {
  readonly what: string;
  readonly problem?: string | undefined;
  readonly text?: string;
}

/** At most ten lines: what, whether all is well, and the sentence. Of too many the last line says how many are left out. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  const lines = findings.map(
    ({ what, problem, text }) =>
      `${what.padEnd(9)} ${problem === undefined ? `ok       ${text}` : `problem  ${problem}`}`,
  );
  const left = lines.length - 9;
  return left <= 1 ? lines : [...lines.slice(0, 9), `and ${left} more problems: fix these, and run this again`];
}
