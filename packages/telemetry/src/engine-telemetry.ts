import { context, type ObservableResult, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Store, TaskStatus } from "@resumable-mcp/core";
import type { AttemptEnd, AttemptFacts, EngineTelemetry } from "@resumable-mcp/core/engine";
import { inTime } from "@resumable-mcp/core/internal";
import { unfinishedStatuses } from "@resumable-mcp/core/store";
import { attributes } from "./conventions.js";
import { type Instruments, instruments } from "./instruments.js";
import { observedStore } from "./observed-store.js";
import { registeredTracer, remoteContext } from "./span-context.js";

/**
 * Makes what an engine tells of its work through the API of OpenTelemetry: nothing where no SDK is registered.
 *
 * Metrics go to the meter provider that is registered when this is called, spans to the tracer provider that is registered when an
 * attempt begins.
 *
 * @example
 * const engine = createEngine({ store, tools, telemetry: createEngineTelemetry() });
 */
export function createEngineTelemetry(): EngineTelemetry {
  const measured = instruments();
  return {
    observeStore: (store) => (measured === undefined ? store : observedStore(store, measured)),
    opened: (store) => (measured === undefined ? () => {} : countUnfinished(store, measured)),
    traceAttempt: (attempt, run) => traceAttempt(attempt, run, measured),
    tookOver(tool) {
      measured?.takeovers.add(1, { [attributes.tool]: tool });
      measured?.attempts.add(1, { [attributes.tool]: tool, [attributes.attemptEnd]: "crashed" satisfies AttemptEnd });
    },
    checkpointed(tool, durationMs) {
      measured?.checkpoint.record(durationMs / 1_000, { [attributes.tool]: tool });
    },
    leftQueue(tool, waitedMs) {
      measured?.queueWait.record(waitedMs / 1_000, { [attributes.tool]: tool });
    },
    lostLease() {
      measured?.lostLeases.add(1);
    },
  };
}

/** Ends that say that something is wrong. */
const badEnds: readonly AttemptEnd[] = ["failed", "retry", "lease_lost", "store_failed", "refused"];

async function traceAttempt(
  { taskId, tool, toolVersion, attempt, crashes, trace: call }: AttemptFacts,
  run: () => Promise<AttemptEnd>,
  measured: Instruments | undefined,
): Promise<AttemptEnd> {
  const count = (end: AttemptEnd): AttemptEnd => {
    measured?.attempts.add(1, { [attributes.tool]: tool, [attributes.attemptEnd]: end });
    return end;
  };
  const tracer = registeredTracer();
  if (tracer === undefined) return count(await run());
  // Whatever request this process serves at the moment: the attempt belongs to the call that made its task.
  const parent = call === undefined ? ROOT_CONTEXT : remoteContext(call);
  const span = tracer.startSpan(
    `resumable_mcp.attempt ${tool}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        [attributes.taskId]: taskId,
        [attributes.tool]: tool,
        [attributes.toolVersion]: toolVersion,
        [attributes.attempt]: attempt,
        [attributes.crashes]: crashes,
      },
    },
    parent,
  );
  try {
    const end = await context.with(trace.setSpan(parent, span), run);
    span.setAttribute(attributes.attemptEnd, end);
    if (badEnds.includes(end)) span.setAttribute(attributes.errorType, end).setStatus({ code: SpanStatusCode.ERROR });
    return count(end);
  } finally {
    span.end();
  }
}

/** How long the metrics wait for the store to count, and how old its last count may be. */
const countTimeoutMs = 3_000;
const countAgainMs = 1_000;

type Counts = { readonly [Status in TaskStatus]?: number };

/** Counts a store's unfinished tasks where metrics are read: of all processes on it, so that each shows the same. */
function countUnfinished(store: Store, { meter }: Instruments): () => void {
  const gauge = meter.createObservableGauge("resumable_mcp.tasks.unfinished", {
    description: "Unfinished tasks of the store, by status; the same for all servers on it",
    unit: "{task}",
  });
  let counting: Promise<Counts | undefined> | undefined;
  let known: { readonly counts: Counts; readonly atMs: number } | undefined;
  // A store that does not answer is asked once, however often the metrics are read.
  const count = (): Promise<Counts | undefined> => {
    counting ??= store
      .countTasks({ unfinished: true })
      .then(({ byStatus }) => {
        known = { counts: byStatus, atMs: performance.now() };
        return byStatus;
      })
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  const observe = async (result: ObservableResult): Promise<void> => {
    const isNew = known !== undefined && performance.now() - known.atMs < countAgainMs;
    const counts = isNew ? known?.counts : await inTime(count(), countTimeoutMs, () => undefined);
    if (counts === undefined) return;
    for (const status of unfinishedStatuses) result.observe(counts[status] ?? 0, { [attributes.taskStatus]: status });
  };
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
}
