import { RetryableError, TerminalError } from "@resumable-mcp/core";
import { z } from "zod";

/** Where Open-Meteo answers. Source: open-meteo.com/en/docs. It needs no key; its free use is non-commercial. */
export interface OpenMeteo {
  readonly geocoding: string;
  readonly forecast: string;
}

/** The public service. */
export const openMeteo: OpenMeteo = {
  geocoding: "https://geocoding-api.open-meteo.com",
  forecast: "https://api.open-meteo.com",
};

/** How long one answer may take, in milliseconds. */
const timeLimitMs = 10_000;

const places = z.object({
  results: z
    .array(z.object({ name: z.string(), country: z.string().optional(), latitude: z.number(), longitude: z.number() }))
    .default([]),
});
/** A place on earth, in degrees. */
export type Place = z.output<typeof places>["results"][number];

/** The places of a name, best known first: at most five. @throws as of `ask`. */
export async function findPlaces({ geocoding }: OpenMeteo, name: string, signal: AbortSignal): Promise<Place[]> {
  return (await ask(new URL(`/v1/search?${new URLSearchParams({ name, count: "5" })}`, geocoding), places, signal))
    .results;
}

const oneDay = z.tuple([z.number()]).rest(z.number());
const days = z.object({
  daily: z.object({
    time: z.tuple([z.string()]).rest(z.string()),
    temperature_2m_max: oneDay,
    temperature_2m_min: oneDay,
    precipitation_sum: oneDay,
  }),
});

/** Today's weather at a place, by the clock of that place: °C and mm. @throws as of `ask`. */
export async function forecastToday({ forecast }: OpenMeteo, { latitude, longitude }: Place, signal: AbortSignal) {
  const daily = "temperature_2m_max,temperature_2m_min,precipitation_sum";
  const query = new URLSearchParams({ latitude: `${latitude}`, longitude: `${longitude}`, daily, timezone: "auto" });
  const { daily: found } = await ask(new URL(`/v1/forecast?${query}`, forecast), days, signal);
  return {
    date: found.time[0],
    max: found.temperature_2m_max[0],
    min: found.temperature_2m_min[0],
    precipitation: found.precipitation_sum[0],
  };
}

/** @throws RetryableError for what may pass; TerminalError for what will not. */
async function ask<T>(url: URL, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(timeLimitMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, limit]), redirect: "error" });
    if (response.ok) return schema.parse(await response.json());
    await response.body?.cancel();
    const message = `${url.host} answered HTTP ${response.status}.`;
    throw response.status === 429 || response.status >= 500 ? new RetryableError(message) : new TerminalError(message);
  } catch (error) {
    if (signal.aborted || error instanceof RetryableError || error instanceof TerminalError) throw error;
    const isAnswer = error instanceof z.ZodError || error instanceof SyntaxError;
    if (isAnswer)
      throw new TerminalError(`${url.host} answered with something else than weather data.`, { cause: error });
    const why = limit.aborted ? `did not answer within ${timeLimitMs / 1_000} s` : "could not be reached";
    throw new RetryableError(`${url.host} ${why}.`, { cause: error });
  }
}
