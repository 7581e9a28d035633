import type { WeatherDataset } from "./catalog.js";
import { parseRow, readRows } from "./dataset.js";

/** What the weather of a season usually is: the days of all years that lie near one day of the year. */
export interface Climate {
  readonly days: number;
  readonly firstYear: number;
  readonly lastYear: number;
  /** Degrees Celsius, means. */
  readonly temperatureMax: number;
  readonly temperatureMin: number;
  /** Share of days with precipitation, 0 to 1. */
  readonly precipitationChance: number;
  /** The most frequent summary of a day. */
  readonly weather: string;
}

const daysAround = 7;
const dayMs = 24 * 60 * 60 * 1_000;
const yearDays = 365;

/** Tells what the weather of a place usually is within a week of this day of the year. */
export async function readClimate(weather: WeatherDataset, day: Date): Promise<Climate> {
  const near = [];
  for await (const { cells } of readRows(weather)) {
    // Looked at before it is checked: the other seasons need no checking.
    if (!(daysApart(new Date(cells.date ?? ""), day) <= daysAround)) continue;
    const parsed = parseRow(weather, cells);
    if (parsed.ok) near.push(parsed.row);
  }
  const years = near.map((row) => new Date(row.date).getUTCFullYear());
  return {
    days: near.length,
    firstYear: Math.min(...years),
    lastYear: Math.max(...years),
    temperatureMax: mean(near.map((row) => row.temp_max)),
    temperatureMin: mean(near.map((row) => row.temp_min)),
    precipitationChance: mean(near.map((row) => (row.precipitation > 0 ? 1 : 0))),
    weather: mostFrequent(near.map((row) => row.weather)),
  };
}

/** Days between two days of the year, the shorter way round: 31 December and 1 January are neighbours. */
function daysApart(one: Date, other: Date): number {
  const apart = Math.abs(dayOfYear(one) - dayOfYear(other));
  return Math.min(apart, yearDays - apart);
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? "unknown";
}
