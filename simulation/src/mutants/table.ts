import { type Folder, folderOf, folders } from "./folders.js";
import { type DrawnResult, readDrawn, readFolder } from "./results.js";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |\n`;

const head = (cells: readonly string[]): string => row(cells) + row(cells.map((_, at) => (at === 0 ? "---" : "--:")));

const share = (part: number, whole: number): string => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);

/** The tables of what was judged: the folders by their tests, and the drawn mutants by tests and simulator. */
export function tablesOf(repository: string): string {
  const drawn = readDrawn(repository, "drawn");
  const [seeds, commits] = (["seed", "commit"] as const).map((name) => [...new Set(drawn.map((one) => one[name]))]);
  const found = drawn.filter(isFound);
  const notFound = drawn.filter(({ simulator }) => simulator === "not found");
  return [
    head(["Folder", "Mutants", "Killed", "Timed out", "Survived", "Not covered", "Static", "Score", "Minutes"]),
    ...folders.map((folder) => folderRow(repository, folder)),
    `\nDrawn with seed ${seeds?.join(", ")} at ${commits?.join(", ")}:\n\n`,
    head(["Folder", "Mutants", "Killed by its package's tests", "Found by the simulator", "Not found", "Not reached"]),
    ...folders.map(({ name }) =>
      drawnRow(
        name,
        drawn.filter(({ file }) => folderOf(file).name === name),
      ),
    ),
    drawnRow("all", drawn),
    `\nTests kill ${found.filter(isKilled).length} of the ${found.length} that the simulator found, `,
    `and ${notFound.filter(isKilled).length} of the ${notFound.length} that it did not find.\n`,
  ].join("");
}

const isKilled = ({ tests }: DrawnResult): boolean => tests === "killed" || tests === "timeout";
const isFound = ({ simulator }: DrawnResult): boolean => simulator?.startsWith("seed") === true;

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
  const bySimulator = drawn.filter(({ simulator }) => simulator !== undefined);
  const killed = byTests.filter(isKilled).length;
  const found = bySimulator.filter(isFound).length;
  const notReached = bySimulator.filter(({ simulator }) => simulator === "not reached").length;
  return row([
    name,
    drawn.length,
    `${killed} of ${byTests.length} (${share(killed, byTests.length)})`,
    `${found} of ${bySimulator.length}`,
    bySimulator.length - found - notReached,
    notReached,
  ]);
}
