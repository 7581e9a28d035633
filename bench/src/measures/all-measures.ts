import { manyCalls } from "../postgres/many-calls.js";
import { checkpointRate, stepRate } from "../postgres/rates.js";
import { answered, idle, recovery } from "../postgres/replicas.js";
import { roundTrips } from "../postgres/round-trips.js";
import { storedInPostgres } from "../postgres/stored-in-postgres.js";
import type { Measure } from "../report/measure.js";
import { againstBareLoop, againstPeer, againstPlain, groupedSqlite, processorTime, sqlite } from "./checkpoint-rate.js";
import { httpCalls, sessionMemory } from "./http.js";
import { replay, resuming, taskLength } from "./long-task.js";
import { stdioStart } from "./stdio-start.js";
import { fullStore, memoryMeasure, opening, storedMemory, storedTasks } from "./stored.js";
import { terminalMeasures } from "./terminal.js";

/** What is measured on files, in the order of the report. */
export const measures: readonly Measure[] = [
  againstBareLoop("machine", { tasks: 1, each: 300 }, { atLeast: 0.7 }),
  againstBareLoop("machine", { tasks: 100, each: 20 }, { atLeast: 0.7 }),
  againstBareLoop("process", { tasks: 1, each: 4_000 }, { atLeast: 0.1 }),
  againstBareLoop("process", { tasks: 100, each: 40 }, { atLeast: 0.1 }),
  processorTime({ tasks: 1, each: 4_000 }, { atMost: 10 }),
  againstPeer("machine", { tasks: 1, each: 300 }, sqlite, { atLeast: 0.8 }),
  againstPeer("machine", { tasks: 100, each: 20 }, sqlite, { atLeast: 1.5 }),
  againstPeer("machine", { tasks: 100, each: 20 }, groupedSqlite, { atLeast: 1 }),
  againstPlain("machine", { tasks: 1, each: 300 }),
  againstPlain("process", { tasks: 1, each: 2_000 }),
  // Before what leaves unfinished tasks behind in the stores that they share.
  opening,
  storedMemory,
  storedTasks,
  ...fullStore,
  taskLength,
  resuming,
  replay,
  stdioStart("2025", true),
  stdioStart("2026", true),
  stdioStart("2025", false),
  stdioStart("2026", false),
  sessionMemory,
  httpCalls("2025"),
  httpCalls("2026"),
  memoryMeasure({ finished: 1_000, eventsEach: 20 }, { finished: 100, eventsEach: 20 }),
  ...terminalMeasures,
];

/** What is measured on a server of PostgreSQL, in the order of the report. */
export const postgresMeasures: readonly Measure[] = [
  stepRate({ tasks: 1, each: 300 }, { atLeast: 5 }),
  stepRate({ tasks: 100, each: 50 }, { atLeast: 10 }),
  checkpointRate({ tasks: 1, each: 300 }, 1, { atLeast: 0.4 }),
  checkpointRate({ tasks: 100, each: 20 }, 10, { atLeast: 1 }),
  ...roundTrips,
  recovery,
  answered,
  storedInPostgres,
  idle,
  manyCalls,
];
