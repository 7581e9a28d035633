import { defineTool, type TaskContext, TerminalError, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { cities, findCity, plainName } from "../data/cities.js";
import { type Climate, readClimate } from "../data/climatology.js";
import { findPlaces, forecastToday, type OpenMeteo } from "../data/open-meteo.js";

/** Characters of a city's name; a longer text is not one. */
const maxCityCharacters = 100;
const bundled = cities.map(({ name }) => name).join(" and ");

const inputOf = (online: boolean) =>
  z.strictObject({
    city: z
      .string()
      .max(maxCityCharacters)
      .refine((name) => online || name.length > maxCityCharacters || findCity(name) !== undefined, {
        error: ({ input: name }) =>
          `The demo has no weather data of ${JSON.stringify(name)}: ${bundled} are bundled, and npm run demo -- --online asks Open-Meteo for any other city.`,
      })
      .describe(`${online ? "Any city." : `Known: ${bundled}.`} Case, accents and punctuation do not count.`),
  });

const output = z.object({
  city: z.string(),
  date: z.string(),
  temp_max: z.number().describe("°C"),
  temp_min: z.number().describe("°C"),
  precipitation_chance: z.number().optional().describe("0 to 1, of a bundled city"),
  precipitation_mm: z.number().optional().describe("mm, of any other city"),
  weather: z.string(),
  forecast: z.string(),
  basis: z.string(),
});

/** What the tool is made of. */
export interface ForecastOptions {
  readonly now: () => Date;
  readonly delayMs: number;
  /** Answers for the cities that are not bundled. Without it they are refused. */
  readonly online?: OpenMeteo | undefined;
}

/**
 * Makes the tool `get_forecast`: says what the weather of the season usually is, or online what it will be today, after a
 * wait that is long enough to lose the connection in.
 */
export function createForecast({ now, delayMs, online }: ForecastOptions): Tool {
  const where = online ? "a city" : `${bundled}, from past years`;
  return defineTool({
    name: "get_forecast",
    title: "Weather forecast",
    description: `Tells what weather to expect today in ${where}. Takes ${delayMs / 1_000} seconds.`,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: online !== undefined },
    input: inputOf(online !== undefined),
    output,
    key: ({ city }) => plainName(city),
    async run({ city: asked }, task) {
      // Remembered, so that a forecast that is interrupted at midnight is still for the day on which it was asked for.
      const date = await task.step("today", () => now().toISOString().slice(0, 10));
      await task.sleep("patience", delayMs);
      const known = findCity(asked);
      if (known !== undefined) return describe(known.name, date, await readClimate(known.weather, new Date(date)));
      if (online === undefined) throw new TerminalError(`The demo no longer has weather data of ${asked}.`);
      return lookUp(online, asked, task);
    },
  });
}

async function lookUp(
  online: OpenMeteo,
  asked: string,
  task: Pick<TaskContext, "step" | "signal">,
): Promise<z.output<typeof output>> {
  const place = await task.step("place", async () => (await findPlaces(online, asked, task.signal))[0] ?? null);
  if (place === null) throw new TerminalError(`Open-Meteo knows no city ${JSON.stringify(asked)}. Check its spelling.`);
  const { date, max, min, precipitation } = await task.step("forecast", () =>
    forecastToday(online, place, task.signal),
  );
  const city = place.country === undefined ? place.name : `${place.name}, ${place.country}`;
  return {
    city,
    date,
    temp_max: max,
    temp_min: min,
    precipitation_mm: precipitation,
    weather: precipitation > 0 ? "precipitation" : "dry",
    forecast: `${city}, ${date}: ${min} to ${max} °C, ${precipitation} mm of precipitation.`,
    basis: "forecast of Open-Meteo, place of GeoNames (both CC BY 4.0): non-commercial use",
  };
}

function describe(city: string, date: string, climate: Climate): z.output<typeof output> {
  const temp_max = round(climate.temperatureMax, 1);
  const temp_min = round(climate.temperatureMin, 1);
  const chance = round(climate.precipitationChance, 2);
  return {
    city,
    date,
    temp_max,
    temp_min,
    precipitation_chance: chance,
    weather: climate.weather,
    forecast: `${city}, ${date}: ${temp_min} to ${temp_max} °C, mostly ${climate.weather}, precipitation on ${Math.round(chance * 100)} % of such days.`,
    basis: `${climate.days} days of this season, ${climate.firstYear} to ${climate.lastYear} (NOAA)`,
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
