import type { Engine } from "@resumable-mcp/core";
import { whenEnded } from "../owner/owner.js";
import type { Call2026 } from "./call-2026.js";

/**
 * By engine: the requests that wait. They share one listener: each `AbortSignal.any` would leave an entry in the engine's
 * signal on Node 20, as long as the process lives.
 */
const waiting = new WeakMap<Engine, Set<AbortController>>();

/** Runs what answers a request. The signal of its call aborts also when the engine drains, or the caller's token counts no more. */
export async function untilDrained<Result>(call: Call2026, run: (call: Call2026) => Promise<Result>): Promise<Result> {
  const { engine, signal } = call;
  const requests = waiting.get(engine) ?? listen(engine);
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal.aborted || engine.drainSignal.aborted) abort();
  signal.addEventListener("abort", abort);
  requests.add(controller);
  const stopTimer = whenEnded(call.token, abort);
  try {
    return await run({ ...call, signal: controller.signal });
  } finally {
    stopTimer();
    requests.delete(controller);
    signal.removeEventListener("abort", abort);
  }
}

function listen(engine: Engine): Set<AbortController> {
  const requests = new Set<AbortController>();
  waiting.set(engine, requests);
  engine.drainSignal.addEventListener("abort", () => {
    for (const request of requests) request.abort();
  });
  return requests;
}
