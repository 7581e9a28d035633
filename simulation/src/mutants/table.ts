import { type Folder, folderOf, folders } from "./folders.js";
import { type DrawnResult, readDrawn, readFolder } from "./results.js";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |\n`;

const head = (cells: readonly string[]): string => row(cells) + row(cells.map((_, at) => (at === 0 ? "---" : "--:")));

const share = (part: number, whole: number): string => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);

/** The tables of what was judged: the folders by their tests, and the drawn mutants by tests and simulator. */
export function tablesOf(repository: string): string {
  const drawn = readDrawn(repository, "drawn");
  const kinds = [...new Set(drawn.map(({ kind }) => kind))].sort();
  const titles = [
    "Mutants",
    "Judged by tests",
    "Killed",
    "By the simulator",
    "Found",
    "Not reached",
    "By it alone",
    "By neither",
  ];
  const inFolder = (name: string) => drawn.filter(({ file }) => folderOf(file).name === name);
  return [
    head(["Folder", "Mutants", "Killed", "Timed out", "Survived", "Not covered", "Static", "Score", "Minutes"]),
    ...folders.map((folder) => folderRow(repository, folder)),
    "\n",
    head(["Drawn, by folder", ...titles]),
    ...folders.map(({ name }) => drawnRow(name, inFolder(name))),
    drawnRow("all", drawn),
    "\n",
    head(["Drawn, by kind of change", ...titles]),
    ...kinds.map((kind) =>
      drawnRow(
        kind,
        drawn.filter((mutant) => mutant.kind === kind),
      ),
    ),
  ].join("");
}

function folderRow(repository: string, folder: Folder): string {
  const { name, sample } = folder;
  if (sample !== undefined) {
    const verdicts = readDrawn(repository, name).flatMap(({ tests }) => tests ?? []);
    const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length;
    const [killed, timeout, survived, uncovered] = ["killed", "timeout", "survived", "uncovered"].map(count);
    return scoreRow(`${name}, drawn`, { killed, timeout, survived, uncovered, static: count("static") }, "");
  }
  const files = Object.values(readFolder(repository, folder));
  const sum = (value: (file: (typeof files)[number]) => number): number =>
    files.reduce((all, file) => all + value(file), 0);
  const counts = {
    killed: sum((file) => file.killed),
    timeout: sum((file) => file.timeout),
    survived: sum((file) => file.survived.length),
    uncovered: sum((file) => file.uncovered.length),
    static: sum((file) => file.static.length),
  };
  return scoreRow(name, counts, Math.round(sum((file) => file.seconds) / 60));
}

interface Counts {
  readonly killed?: number;
  readonly timeout?: number;
  readonly survived?: number;
  readonly uncovered?: number;
  readonly static: number;
}

function scoreRow(name: string, counts: Counts, minutes: number | string): string {
  const { killed = 0, timeout = 0, survived = 0, uncovered = 0 } = counts;
  const judged = killed + timeout + survived + uncovered;
  const score = share(killed + timeout, judged);
  return row([name, judged + counts.static, killed, timeout, survived, uncovered, counts.static, score, minutes]);
}

function drawnRow(name: string, drawn: readonly DrawnResult[]): string {
  const byTests = drawn.filter(({ tests }) => tests !== undefined && tests !== "static");
  const isKilled = ({ tests }: DrawnResult): boolean => tests === "killed" || tests === "timeout";
  const isFound = ({ simulator }: DrawnResult): boolean => simulator?.startsWith("seed") === true;
  const bySimulator = drawn.filter(({ simulator }) => simulator !== undefined);
  const byBoth = byTests.filter(({ simulator }) => simulator !== undefined);
  const killed = byTests.filter(isKilled).length;
  const found = bySimulator.filter(isFound).length;
  const alone = byBoth.filter((mutant) => isFound(mutant) && !isKilled(mutant)).length;
  const neither = byBoth.filter((mutant) => !isFound(mutant) && !isKilled(mutant)).length;
  return row([
    name,
    drawn.length,
    byTests.length,
    `${killed} ${share(killed, byTests.length)}`,
    bySimulator.length,
    found,
    bySimulator.filter(({ simulator }) => simulator === "not reached").length,
    alone,
    neither,
  ]);
}
