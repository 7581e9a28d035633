import { defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { cities, findCity, formOf, nearestNames } from "../data/cities.js";
import { type Climate, climateOf } from "../data/climatology.js";

/** Characters of a city's name; a longer text is not one. */
const maxCityCharacters = 100;
const knownCities = cities.map(({ name }) => name);

const input = z.strictObject({
  city: z
    .string()
    .max(maxCityCharacters)
    .refine((name) => name.length > maxCityCharacters || findCity(name) !== undefined, {
      error: ({ input: name }) =>
        `There is no weather data of ${JSON.stringify(name)}. Nearest spellings: ${nearestNames(String(name), knownCities).join(", ")}`,
    })
    .describe(`Known: ${knownCities.join(", ")}. Case, accents and punctuation do not count.`),
});

const output = z.object({
  city: z.string(),
  date: z.string(),
  temp_max: z.number().describe("°C"),
  temp_min: z.number().describe("°C"),
  precipitation_chance: z.number().describe("0 to 1"),
  weather: z.string(),
  forecast: z.string(),
  basis: z.string(),
});

/**
 * Makes the tool `get_forecast`: says what the weather of the season usually is, after a wait that is long enough to
 * lose the connection in.
 */
export function createForecast({ now, delayMs }: { readonly now: () => Date; readonly delayMs: number }): Tool {
  return defineTool({
    name: "get_forecast",
    title: "Weather forecast",
    description: `Tells what weather to expect today in a city, from past years. Takes ${delayMs / 1_000} seconds. Known: ${knownCities.join(", ")}.`,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    onCrash: "rerun",
    input,
    output,
    key: ({ city }) => formOf(city),
    async run({ city: asked }, task) {
      // Remembered, so that a forecast that is interrupted at midnight is still for the day on which it was asked for.
      const date = await task.step("today", () => now().toISOString().slice(0, 10));
      await task.sleep("patience", delayMs);
      const known = findCity(asked);
      if (known === undefined) throw new Error(`There is no weather data of ${asked} any more.`);
      return describe(known.name, date, await climateOf(known.weather, new Date(date)));
    },
  });
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
