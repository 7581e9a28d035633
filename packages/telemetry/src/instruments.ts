import {
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
} from "@opentelemetry/api";
import { buckets, scopeName } from "./conventions.js";

/** What is measured. */
export interface Instruments {
  readonly meter: Meter;
  /** Seconds; by method, tool and error. */
  readonly serverOperation: Histogram;
  readonly clientOperation: Histogram;
  /** Seconds; by tool. */
  readonly checkpoint: Histogram;
  readonly queueWait: Histogram;
  /** Seconds; by operation and error. */
  readonly store: Histogram;
  /** By tool and end. */
  readonly attempts: Counter;
  readonly takeovers: Counter;
  readonly lostLeases: Counter;
}

const made = new WeakMap<MeterProvider, Instruments | "none">();

/** The instruments of the meter provider that is registered, or `undefined` where none is. */
export function instruments(): Instruments | undefined {
  const provider = metrics.getMeterProvider();
  let known = made.get(provider);
  if (known === undefined) {
    known = makeInstruments(provider);
    made.set(provider, known);
  }
  return known === "none" ? undefined : known;
}

function makeInstruments(provider: MeterProvider): Instruments | "none" {
  const meter = provider.getMeter(scopeName);
  if (meter === createNoopMeter()) return "none";
  const seconds = (name: string, description: string, bounds: readonly number[]): Histogram =>
    meter.createHistogram(name, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: [...bounds] },
    });
  const { operation, storage } = buckets;
  const lostLeases = meter.createCounter("resumable_mcp.leases.lost", {
    description: "Leases that were lost to another process",
    unit: "{lease}",
  });
  // A rate needs something to rise from.
  lostLeases.add(0);
  return {
    meter,
    serverOperation: seconds("mcp.server.operation.duration", "Requests that the server answered", operation),
    clientOperation: seconds("mcp.client.operation.duration", "Requests that the client made", operation),
    checkpoint: seconds("resumable_mcp.checkpoint.duration", "From a tool's yield to its durable commit", storage),
    queueWait: seconds("resumable_mcp.queue.wait", "How long tasks waited for a slot of this process", operation),
    store: seconds("resumable_mcp.store.duration", "Operations of the store", storage),
    attempts: meter.createCounter("resumable_mcp.attempts", {
      description: "Attempts that ended, by how",
      unit: "{attempt}",
    }),
    takeovers: meter.createCounter("resumable_mcp.takeovers", {
      description: "Tasks taken over from processes that died",
      unit: "{task}",
    }),
    lostLeases,
  };
}
