import { z } from "zod";
import { type Cell, day, instant, integer, number, oneOf, optional, text } from "./cell.js";

/** The columns of a data set, by name and in the order of the file. */
export type Columns = Readonly<Record<string, Cell>>;

/** A CSV file of real data, and what is known about it. `SOURCES.md` next to the files says where each comes from. */
export interface Dataset<Shape extends Columns = Columns> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Relative to the data folder. */
  readonly file: string;
  /** Rows of the file without its header, complete or not. */
  readonly rows: number;
  readonly title: string;
  readonly licence: string;
  /** The column of numbers that represents a whole row where one number is wanted. */
  readonly value: string;
  /** Parses one row. A column that the file has and the schema has not, or the other way round, is an error. */
  readonly columns: z.ZodObject<Shape, z.core.$strict>;
}

/** One row whose every cell is valid. */
export type Row<Shape extends Columns = Columns> = z.output<Dataset<Shape>["columns"]>;

/** A week of earthquakes, newest first. Five rows lack `rms`; some networks never report `nst`, `gap` or `dmin`. */
export const earthquakes = define({
  name: "earthquakes",
  aliases: ["default_dataset"],
  file: "earthquakes.csv",
  rows: 1707,
  title: "Earthquakes of one week, worldwide, 31 January to 7 February 2018 (USGS)",
  licence: "Public domain (work of the U.S. Government)",
  value: "mag",
  columns: z.strictObject({
    time: instant,
    latitude: number(-90, 90),
    longitude: number(-180, 180),
    depth: number(-10, 1000),
    mag: number(-3, 10),
    magType: text,
    nst: optional(integer(0, 10_000)),
    gap: optional(number(0, 360)),
    dmin: optional(number(0, 180)),
    rms: number(0, 100),
    net: text,
    id: text,
    place: text,
    type: oneOf("earthquake", "explosion", "quarry blast"),
    status: oneOf("automatic", "reviewed"),
  }),
});

/** Sizes of penguins of three species: for training a classifier. Eleven rows lack measurements or a usable sex. */
export const penguins = define({
  name: "penguins",
  aliases: ["customer_data"],
  file: "penguins.csv",
  rows: 344,
  title: "Penguins of the Palmer Archipelago, 2007 to 2009 (Gorman, Palmer Station LTER)",
  licence: "CC0 1.0",
  value: "body_mass_g",
  columns: z.strictObject({
    species: oneOf("Adelie", "Chinstrap", "Gentoo"),
    island: oneOf("Biscoe", "Dream", "Torgersen"),
    bill_length_mm: number(10, 100),
    bill_depth_mm: number(5, 50),
    flipper_length_mm: integer(100, 300),
    body_mass_g: integer(1000, 10_000),
    sex: oneOf("FEMALE", "MALE"),
  }),
});

const dailyWeather = z.strictObject({
  date: day,
  precipitation: number(0, 2000),
  temp_max: number(-90, 60),
  temp_min: number(-90, 60),
  wind: number(0, 120),
  weather: oneOf("drizzle", "fog", "rain", "snow", "sun"),
});

/** Daily weather of one place. */
export type WeatherDataset = Dataset<typeof dailyWeather.shape>;

/** Four years of daily weather without a gap. */
export const seattleWeather: WeatherDataset = define({
  name: "seattle_weather",
  aliases: [],
  file: "seattle-weather.csv",
  rows: 1461,
  title: "Daily weather in Seattle, 2012 to 2015 (NOAA)",
  licence: "Public domain (work of the U.S. Government)",
  value: "temp_max",
  columns: dailyWeather,
});

/** The same of New York. */
export const newYorkWeather: WeatherDataset = define({
  name: "new_york_weather",
  aliases: [],
  file: "new-york-weather.csv",
  rows: 1461,
  title: "Daily weather in New York, 2012 to 2015 (NOAA)",
  licence: "Public domain (work of the U.S. Government)",
  value: "temp_max",
  columns: dailyWeather,
});

/** Every data set of the demo. */
export const catalog: readonly Dataset[] = [earthquakes, penguins, seattleWeather, newYorkWeather];

/** Keeps the exact columns in the type, so that a row of a data set known by name is fully typed. */
function define<Shape extends Columns>(dataset: Dataset<Shape> & { readonly value: keyof Shape }): Dataset<Shape> {
  return dataset;
}
