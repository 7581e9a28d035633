import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { type Columns, catalog, type Dataset, earthquakes, penguins, seattleWeather } from "./catalog.js";
import { findDataset, parseRow, type RawRow, type RowRange, readRows } from "./dataset.js";

const header = "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex";
const penguin = {
  species: "Adelie",
  island: "Torgersen",
  bill_length_mm: "39.1",
  bill_depth_mm: "18.7",
  flipper_length_mm: "181",
  body_mass_g: "3750",
  sex: "MALE",
};

async function allRows(dataset: Dataset, range?: RowRange): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const row of readRows(dataset, range)) rows.push(row);
  return rows;
}

describe("findDataset", () => {
  test.each([
    ["earthquakes", earthquakes],
    ["default_dataset", earthquakes],
    ["penguins", penguins],
    ["customer_data", penguins],
    ["seattle_weather", seattleWeather],
  ])("finds %s", (name, dataset) => {
    expect(findDataset(name)).toBe(dataset);
  });

  test.each(["", "Earthquakes", "../package", "constructor"])("finds none by %j", (name) => {
    expect(findDataset(name)).toBeUndefined();
  });
});

describe("readRows", () => {
  test.each(catalog)("reads all $rows rows of $name in order", async (dataset) => {
    const rows = await allRows(dataset);
    expect(rows.map((row) => row.index)).toEqual(Array.from({ length: dataset.rows }, (_, index) => index));
  });

  test("keeps a quoted comma inside its cell", async () => {
    const [row] = await allRows(earthquakes, { limit: 1 });
    expect(row).toMatchObject({ index: 0, cells: { place: "4km W of Castaic, CA", magType: "ml" } });
  });

  test("continues where another reader stopped, without a gap and without a repetition", async () => {
    const straight = await allRows(earthquakes);
    const first = await allRows(earthquakes, { limit: 700 });
    const second = await allRows(earthquakes, { from: 700 });
    expect([...first, ...second]).toEqual(straight);
  });

  test("ends at the last row when the range reaches beyond it", async () => {
    const rows = await allRows(penguins, { from: 342, limit: 100 });
    expect(rows.map((row) => row.index)).toEqual([342, 343]);
    expect(await allRows(penguins, { from: 344 })).toEqual([]);
  });

  test("reads nothing with a limit of 0", async () => {
    expect(await allRows(penguins, { from: 5, limit: 0 })).toEqual([]);
  });

  test("may be left early", async () => {
    const rows = readRows(earthquakes);
    expect((await rows.next()).value).toMatchObject({ index: 0 });
    expect(await rows.return()).toEqual({ done: true, value: undefined });
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  test.each([
    [{ from: -1 }, "from is -1"],
    [{ from: 0.5 }, "from is 0.5"],
    [{ limit: Number.NaN }, "limit is NaN"],
    [{ limit: Number.POSITIVE_INFINITY }, "limit is Infinity"],
  ])("refuses the range %j", async (range, message) => {
    await expect(allRows(penguins, range)).rejects.toThrow(message);
  });
});

describe("readRows on a damaged file", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dataset-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function damaged(content: string): Promise<Dataset> {
    const path = join(folder, "damaged.csv");
    await writeFile(path, content);
    return { ...penguins, file: pathToFileURL(path).href, rows: 1 };
  }

  test("names the file that is absent", async () => {
    await expect(allRows({ ...penguins, file: "absent.csv" })).rejects.toThrow("absent.csv");
  });

  test("refuses other columns than the catalog has", async () => {
    const dataset = await damaged("species,weight\nAdelie,1\n");
    await expect(allRows(dataset)).rejects.toThrow(`has the columns species,weight, not ${header}`);
  });

  test("refuses a row with too few cells", async () => {
    await expect(allRows(await damaged(`${header}\nAdelie,Torgersen\n`))).rejects.toThrow("Invalid Record Length");
  });

  test("refuses a quote that never closes, whatever follows", async () => {
    await expect(allRows(await damaged(`${header}\n"${"x".repeat(100_000)}`))).rejects.toThrow("Max Record Size");
  });

  test.each([
    ["an empty file", "", "has 0 rows, not 1"],
    ["a file without rows", `${header}\n`, "has 0 rows, not 1"],
    ["a row too many", `${header}\n${"Adelie,Dream,1,1,1,1,MALE\n".repeat(2)}`, "has 2 rows, not 1"],
  ])("refuses %s", async (_, content, message) => {
    await expect(allRows(await damaged(content))).rejects.toThrow(message);
  });
});

describe("parseRow", () => {
  test.each([
    [earthquakes, 1702, { "rms is missing": 5 }],
    [
      penguins,
      333,
      {
        "bill_length_mm is missing; bill_depth_mm is missing; flipper_length_mm is missing; body_mass_g is missing; sex is missing": 2,
        "sex is missing": 8,
        "sex is none of FEMALE, MALE": 1,
      },
    ],
    [seattleWeather, 1461, {}],
  ] satisfies [Dataset, number, Record<string, number>][])(
    "sorts the rows of $name",
    async (dataset: Dataset, valid, problems) => {
      expect(await census(dataset)).toEqual({ valid, problems });
    },
  );

  test("makes typed columns", () => {
    const parsed = parseRow(penguins, penguin);
    expect(parsed).toEqual({
      ok: true,
      row: {
        species: "Adelie",
        island: "Torgersen",
        bill_length_mm: 39.1,
        bill_depth_mm: 18.7,
        flipper_length_mm: 181,
        body_mass_g: 3750,
        sex: "MALE",
      },
    });
  });

  test("knows the columns of a data set by their types", () => {
    type Penguin = Extract<ReturnType<typeof parseRow<typeof penguins.columns.shape>>, { ok: true }>["row"];
    expectTypeOf<Penguin["species"]>().toEqualTypeOf<"Adelie" | "Chinstrap" | "Gentoo">();
    expectTypeOf<Penguin["body_mass_g"]>().toEqualTypeOf<number>();
    type Quake = Extract<ReturnType<typeof parseRow<typeof earthquakes.columns.shape>>, { ok: true }>["row"];
    expectTypeOf<Quake["gap"]>().toEqualTypeOf<number | null>();
    type Any = Extract<ReturnType<typeof parseRow<Columns>>, { ok: true }>["row"];
    expectTypeOf<Any[string]>().toEqualTypeOf<string | number | null>();
  });

  test("reads an empty optional cell as null", async () => {
    const [raw] = await allRows(earthquakes, { from: 3, limit: 1 });
    expect(raw && parseRow(earthquakes, raw.cells)).toMatchObject({
      ok: true,
      row: { nst: null, rms: expect.any(Number) },
    });
  });

  test("names every column that is wrong", () => {
    expect(parseRow(penguins, { ...penguin, body_mass_g: "heavy", species: "Emperor", bill_depth_mm: "900" })).toEqual({
      ok: false,
      problem: "species is none of Adelie, Chinstrap, Gentoo; bill_depth_mm is above 50; body_mass_g is not a number",
    });
  });

  test("refuses a column that is absent, and one that the catalog does not have", () => {
    const { sex: _, ...sexless } = penguin;
    expect(parseRow(penguins, sexless)).toMatchObject({ ok: false, problem: expect.stringContaining("sex") });
    expect(parseRow(penguins, { ...penguin, colour: "black" })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("colour"),
    });
  });
});

async function census(dataset: Dataset): Promise<{ valid: number; problems: Record<string, number> }> {
  const problems: Record<string, number> = {};
  let valid = 0;
  for await (const { cells } of readRows(dataset)) {
    const parsed = parseRow(dataset, cells);
    if (parsed.ok) valid += 1;
    else problems[parsed.problem] = (problems[parsed.problem] ?? 0) + 1;
  }
  return { valid, problems };
}
