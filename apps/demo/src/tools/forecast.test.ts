import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { checkResumable } from "@resumable-mcp/core/testing";
import { afterEach, describe, expect, test } from "vitest";
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

test("names the bundled cities and the flag when asked for a city that it does not know", async () => {
  const tasks = createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
  await expect(tasks.start({ tool: tool.name, input: { city: "Madrid" } })).rejects.toMatchObject({
    code: "INVALID_VALUE",
    message: expect.stringContaining(
      'city: The demo has no weather data of "Madrid": New York and Seattle are bundled, and npm run demo -- --online asks Open-Meteo for any other city.',
    ),
  });
});

describe("online", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** A server with Open-Meteo's two routes. */
  async function online(answers: { readonly search: unknown; readonly forecast?: unknown }) {
    const asked: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      asked.push(url);
      response.statusCode = asked.length === 1 ? 503 : 200;
      response.end(JSON.stringify(url.startsWith("/v1/search?") ? answers.search : answers.forecast));
    });
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const meteo = { geocoding: base, forecast: base };
    return { asked, tool: createForecast({ now: () => new Date(0), delayMs: 0, online: meteo }) };
  }

  const madrid = {
    results: [{ id: 3117735, name: "Madrid", country: "Spain", latitude: 40.4165, longitude: -3.70256 }],
  };
  const daily = {
    time: ["2026-07-01", "2026-07-02"],
    temperature_2m_max: [34.1, 35],
    temperature_2m_min: [19.5, 20],
    precipitation_sum: [0, 1.5],
  };

  test("any other city is answered by Open-Meteo, with its sources, wherever the task is killed", async () => {
    const { tool, asked } = await online({ search: madrid, forecast: { daily } });
    const report = await checkResumable(tool, { city: "Madrid" });
    expect(report.differences).toEqual([]);
    expect(report.output).toEqual({
      city: "Madrid, Spain",
      date: "2026-07-01",
      temp_max: 34.1,
      temp_min: 19.5,
      precipitation_mm: 0,
      weather: "dry",
      forecast: "Madrid, Spain, 2026-07-01: 19.5 to 34.1 °C, 0 mm of precipitation.",
      basis: "forecast of Open-Meteo, place of GeoNames (both CC BY 4.0): non-commercial use",
    });
    expect(new Set(asked)).toEqual(
      new Set([
        "/v1/search?name=Madrid&count=5",
        "/v1/forecast?latitude=40.4165&longitude=-3.70256&daily=temperature_2m_max%2Ctemperature_2m_min%2Cprecipitation_sum&timezone=auto",
      ]),
    );
  });

  test("a bundled city is not asked for", async () => {
    const { tool, asked } = await online({ search: madrid });
    expect((await checkResumable(tool, { city: "Seattle" })).output).toMatchObject({ city: "Seattle" });
    expect(asked).toEqual([]);
  });

  test.each([
    ["a city that it does not know", { search: {} }, 'Open-Meteo knows no city "Xyzzy". Check its spelling.'],
    ["something else", { search: { results: "none" } }, "answered with something else than weather data."],
  ])("says so of %s", async (_, answers, message) => {
    const { tool } = await online(answers);
    const tasks = createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
    const { record } = await tasks.start({ tool: tool.name, input: { city: "Xyzzy" } });
    expect(await tasks.wait(record.id)).toMatchObject({
      record: { status: "failed", error: { message: expect.stringContaining(message) } },
    });
  });
});

test("knows a city however it is written, and takes it for the same call", async () => {
  const slow = createForecast({ now: () => new Date(0), delayMs: 60_000 });
  const tasks = createEngine({ store: createMemoryStore(), tools: [slow] }).forOwner("local:me");
  const first = await tasks.start({ tool: tool.name, input: { city: "Seattle" } });
  const second = await tasks.start({ tool: tool.name, input: { city: " SEATTLE " } });
  expect([second.created, second.record.id]).toEqual([false, first.record.id]);
});
