import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { checkResumable } from "@resumable-mcp/core/testing";
import { expect, test } from "vitest";
import { createForecast } from "./forecast.js";

const tool = createForecast({ now: () => new Date("2026-01-02T23:59:59Z"), delayMs: 0 });

test("ends with the same forecast wherever it is killed (G1, G2)", async () => {
  const report = await checkResumable(tool, { city: "Seattle" });
  expect(report.differences).toEqual([]);
  expect(report.output).toEqual({
    city: "Seattle",
    date: "2026-01-02",
    temp_max: 7.8,
    temp_min: 2.4,
    precipitation_chance: 0.56,
    weather: "rain",
    forecast: "Seattle, 2026-01-02: 2.4 to 7.8 °C, mostly rain, precipitation on 56 % of such days.",
    basis: "61 days of this season, 2012 to 2015 (NOAA)",
  });
});

test("knows each of its cities by its own weather", async () => {
  const { output } = await checkResumable(tool, { city: "new york" });
  expect(output).toMatchObject({
    city: "New York",
    date: "2026-01-02",
    basis: "61 days of this season, 2012 to 2015 (NOAA)",
  });
  expect(Object(output).temp_min).toBeLessThan(2.4);
});

test("stays with the day on which it was asked for", async () => {
  let day = 1;
  const aging = createForecast({ now: () => new Date(Date.UTC(2026, 6, day++)), delayMs: 0 });
  expect((await checkResumable(aging, { city: "Seattle" })).output).toMatchObject({ date: "2026-07-01" });
});

test("offers the nearest spellings when asked for a city that it does not know", async () => {
  const tasks = createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
  await expect(tasks.start({ tool: tool.name, input: { city: "Seatle" } })).rejects.toMatchObject({
    code: "INVALID_VALUE",
    message: expect.stringContaining(
      'city: There is no weather data of "Seatle". Nearest spellings: Seattle, New York.',
    ),
  });
});

test("knows a city however it is written, and takes it for the same call", async () => {
  const slow = createForecast({ now: () => new Date(0), delayMs: 60_000 });
  const tasks = createEngine({ store: createMemoryStore(), tools: [slow] }).forOwner("local:me");
  const first = await tasks.start({ tool: tool.name, input: { city: "Seattle" } });
  const second = await tasks.start({ tool: tool.name, input: { city: " SEATTLE " } });
  expect([second.created, second.record.id]).toEqual([false, first.record.id]);
});
