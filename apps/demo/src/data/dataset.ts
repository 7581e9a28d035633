import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { parse } from "csv-parse";
import { type Columns, catalog, type Dataset, type Row } from "./catalog.js";

/** A row may not be longer than this: a file with a quote that never closes is not read into memory as a whole. */
const maxRowCharacters = 4096;

/** One row as the file has it, and its place: the first row after the header has index 0. */
export interface RawRow {
  readonly index: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** Which rows to read: `limit` rows beginning with the one of index `from`; without a limit, all that follow. */
export interface RowRange {
  readonly from?: number;
  readonly limit?: number;
}

/** A typed row, or a sentence that names every column that is wrong. */
export type ParsedRow<Shape extends Columns = Columns> =
  | { readonly ok: true; readonly row: Row<Shape> }
  | { readonly ok: false; readonly problem: string };

/** Finds a data set by its name or by one of its aliases. */
export function findDataset(name: string): Dataset | undefined {
  return catalog.find((dataset) => dataset.name === name || dataset.aliases.includes(name));
}

/** Lists the names and aliases of all data sets, for people. */
export function knownDatasets(): string {
  return catalog
    .map(({ name, aliases }) => (aliases.length === 0 ? name : `${name} (also ${aliases.join(", ")})`))
    .join(", ");
}

/**
 * Reads rows of a data set, one at a time and without checking their cells: that is the work of {@link parseRow}.
 *
 * Ordering: as in the file, so a reader that continues with `from` sees what an undisturbed one would have seen.
 * A range that reaches beyond the last row ends there. Leaving the loop early closes the file.
 *
 * @throws RangeError when the range is not made of whole numbers; Error when the file is absent, malformed, or has
 * other columns or another number of rows than the catalog says.
 */
export async function* readRows(dataset: Dataset, range: RowRange = {}): AsyncGenerator<RawRow, void, undefined> {
  const from = countOf("from", range.from ?? 0);
  const end = range.limit === undefined ? Number.POSITIVE_INFINITY : from + countOf("limit", range.limit);
  let index = 0;
  for await (const cells of openRows(dataset)) {
    if (index >= end) return;
    if (index >= from) yield { index, cells };
    index += 1;
  }
  if (index !== dataset.rows)
    throw new Error(`${dataset.file} has ${index} rows, not ${dataset.rows}: restore the file.`);
}

/** Parses the cells of one row into typed columns. A row with a gap or a senseless value is reported, never repaired. */
export function parseRow<Shape extends Columns>(
  dataset: Dataset<Shape>,
  cells: Readonly<Record<string, string>>,
): ParsedRow<Shape> {
  const parsed = dataset.columns.safeParse(cells);
  if (parsed.success) return { ok: true, row: parsed.data };
  const problems = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(" "));
  return { ok: false, problem: problems.join("; ") };
}

function openRows(dataset: Dataset): AsyncIterable<RawRow["cells"]> {
  const file = createReadStream(new URL(dataset.file, dataFolder(import.meta.url)));
  const parser = parse({ columns: (header) => checkHeader(dataset, header), max_record_size: maxRowCharacters });
  // A failure of either stream reaches the reader through the parser; that a reader leaves early is not a failure.
  return pipeline(file, parser, () => undefined);
}

function checkHeader(dataset: Dataset, header: string[]): string[] {
  const expected = Object.keys(dataset.columns.shape).join(",");
  if (header.join(",") === expected) return header;
  throw new Error(`${dataset.file} has the columns ${header.join(",")}, not ${expected}: restore the file.`);
}

function countOf(what: keyof RowRange, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`${what} is ${value}: it must be a whole number of rows, 0 or more.`);
}

/**
 * Locates `apps/demo/data`, with a slash at its end, from the URL of a module of the demo.
 *
 * A module is either a source file in `src/data` or a bundle directly in `dist`; the two lie at different depths.
 */
export function dataFolder(moduleUrl: string): URL {
  const isSource = new URL(".", moduleUrl).pathname.endsWith("/src/data/");
  return new URL(isSource ? "../../data/" : "../data/", moduleUrl);
}
