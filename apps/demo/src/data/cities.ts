import { newYorkWeather, seattleWeather, type WeatherDataset } from "./catalog.js";

/** A city with its daily weather of several years. */
export interface City {
  readonly name: string;
  readonly weather: WeatherDataset;
}

/** The cities with weather data. */
export const cities: readonly City[] = [
  { name: "New York", weather: newYorkWeather },
  { name: "Seattle", weather: seattleWeather },
];

/** Finds a city however its name is written: case, accents, punctuation and spaces do not count. */
export function findCity(name: string): City | undefined {
  const form = plainName(name);
  return cities.find((city) => plainName(city.name) === form);
}

/** What of a name is compared. */
export function plainName(name: string): string {
  const letters = name.normalize("NFKD").replaceAll(/\p{Mark}/gu, "");
  return letters
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}
