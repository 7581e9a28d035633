import { LateCancellations } from "@resumable-mcp/mcp/stdio";
import { deliveryMethod, metaKeys, type RpcId } from "@resumable-mcp/protocol";
import { isObject, type RpcMessage, type RpcObject, type RpcRequest } from "../wire/json-rpc.js";

/** A result of a task that goes to the host, and the request that it answers. */
export interface CarriedResult {
  readonly requestId: RpcId;
  readonly taskId: string;
}

/**
 * What the server is to know about results: which reached the host, and which the host gave up afterwards.
 *
 * A report stays until a server has answered it; the next server gets what the one before did not answer.
 *
 * Limits: `maxPending` results and reports; of older ones nothing is reported, so they count as not delivered.
 */
export class DeliveryReports {
  readonly #max: number;
  readonly #createId: () => string;
  readonly #nowMs: () => number;
  readonly #late = new LateCancellations("local");
  /** On their way to the host or there, by the request that they answer: it may still be cancelled. */
  readonly #results = new Map<RpcId, { readonly taskId: string; writtenMs?: number }>();
  /** Not answered yet, by the ids of their requests. */
  readonly #open = new Map<RpcId, RpcRequest>();

  /** @param nowMs monotonic milliseconds. */
  constructor(max: number, createId: () => string, nowMs: () => number) {
    this.#max = max;
    this.#createId = createId;
    this.#nowMs = nowMs;
  }

  /** A result is about to be written to the host. */
  sending({ requestId, taskId }: CarriedResult): void {
    this.#results.delete(requestId);
    remember(this.#results, requestId, { taskId }, this.#max);
  }

  /** It was written. `undefined` when its request was cancelled meanwhile. */
  written({ requestId, taskId }: CarriedResult): RpcRequest | undefined {
    const result = this.#results.get(requestId);
    if (result?.taskId !== taskId) return undefined;
    result.writtenMs = this.#nowMs();
    return this.#report(taskId, true);
  }

  /** The host cancels a request; `undefined` when it has got a task's result, or the request was not answered with one. */
  cancelled(requestId: RpcId): RpcRequest | undefined {
    const result = this.#results.get(requestId);
    this.#results.delete(requestId);
    if (result === undefined) return undefined;
    const { taskId, writtenMs } = result;
    const counts = writtenMs === undefined || this.#late.counts({ afterMs: this.#nowMs() - writtenMs, taskId });
    return counts ? this.#report(taskId, false) : undefined;
  }

  answered(id: RpcId): void {
    this.#open.delete(id);
  }

  /** For a server that has just been started. */
  unanswered(): readonly RpcRequest[] {
    return [...this.#open.values()];
  }

  /** Of one task only the newest counts. */
  #report(taskId: string, delivered: boolean): RpcRequest {
    for (const [id, { params }] of this.#open) if (params?.taskId === taskId) this.#open.delete(id);
    const id = this.#createId();
    const report: RpcRequest = { jsonrpc: "2.0", id, method: deliveryMethod, params: { taskId, delivered } };
    remember(this.#open, id, report, this.#max);
    return report;
  }
}

/** The completed task whose result a response carries: of a call, or inlined as `tasks/get` of the 2026 era does. */
export function carriedResult({ id, result }: RpcMessage): CarriedResult | undefined {
  if (id === undefined || result === undefined) return undefined;
  const taskId = completedTask(result) ?? (isObject(result.result) ? completedTask(result.result) : undefined);
  return taskId === undefined ? undefined : { requestId: id, taskId };
}

function completedTask({ _meta }: RpcObject): string | undefined {
  if (!isObject(_meta) || _meta[metaKeys.status] !== "completed") return undefined;
  const { [metaKeys.taskId]: taskId } = _meta;
  return typeof taskId === "string" ? taskId : undefined;
}

function remember<Value>(map: Map<RpcId, Value>, id: RpcId, value: Value, max: number): void {
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
