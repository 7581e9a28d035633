import { ResumableError } from "../errors.js";
import { lengthAtLeast } from "../json.js";
import { checkLimit, type EngineLimits, engineDefaults, withDefaults } from "../limits.js";
import { refuseEncrypted } from "../store/sealed-store.js";
import { contractVersion, type Documents, type Observer, type Store } from "../store/store.js";
import { isOwner } from "../task/owner-tag.js";
import type { TaskSnapshot } from "../task/task-record.js";
import type { JsonSchemaValidator } from "../tool/schema.js";
import type { Tool } from "../tool/tool.js";
import { DueTimes, repeat, systemClock } from "./clock.js";
import type { DrainOptions, Engine, EngineOptions, OwnedTasks } from "./engine.js";
import type { Environment } from "./environment.js";
import { checkLimitRules } from "./limit-rules.js";
import { Callers, DeliveryNotes } from "./owner/callers.js";
import { masking, noMasking } from "./owner/masking.js";
import { OneOwnersTasks } from "./owner/owned-tasks.js";
import { type EngineParts, randomId } from "./owner/start-task.js";
import { isTaskId } from "./owner/task-view.js";
import { sweepExpired } from "./scheduling/change-finished.js";
import { forgetCompany } from "./scheduling/company.js";
import { countRecovery } from "./scheduling/count-recovery.js";
import { Scheduler } from "./scheduling/scheduler.js";
import { surveyServers } from "./scheduling/survey-servers.js";
import { ToolTable } from "./scheduling/tool-table.js";
import type { ServerSurvey } from "./server-survey.js";
import { silentTelemetry } from "./telemetry.js";

/**
 * Makes the engine that runs tools durably.
 *
 * Nothing is read or written until `open()` or the first use of a task.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`, `INVALID_OPTION`; `STORE_CONTRACT` for a store of another contract version.
 */
export function createEngine(options: EngineOptions): Engine {
  return new ToolEngine(options);
}

class ToolEngine implements Engine {
  readonly documents: Documents;
  readonly observe: Observer;
  readonly #parts: EngineParts;
  readonly #onOpened: EngineOptions["onOpened"];
  readonly #stops: (() => void)[] = [];
  readonly #drain = new AbortController();
  #opened: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: EngineOptions) {
    const { clock = systemClock, createId = randomId, telemetry = silentTelemetry } = options;
    checkContract(options.store);
    const store = telemetry.observeStore(options.store);
    const onError = neverThrowing(options.onError);
    const tools = new ToolTable(options.tools, options.validateJsonSchema);
    const environment: Environment = {
      store,
      clock,
      dueTimes: new DueTimes(clock),
      random: options.random ?? Math.random,
      limits: limitsWithDefaults(options.limits),
      limitRules: checkLimitRules(options.limitRules, tools.all),
      tools,
      worker: `w_${createId()}`,
      observer: neverThrowing(options.observer, onError),
      telemetry,
      onError,
      runAttempt: options.runAttempt ?? ((_taskId, run) => run()),
      onToolError: neverThrowing(options.onToolError, onError),
    };
    this.#parts = {
      ...environment,
      scheduler: new Scheduler(environment),
      callers: new Callers(environment),
      deliveries: new DeliveryNotes(),
      createId,
      masking: options.maskErrors === true ? masking : noMasking,
      open: () => (this.draining ? Promise.resolve() : this.open()),
      checkOpen: () => {
        if (this.draining) throw draining();
      },
    };
    this.documents = store;
    this.observe = environment.observer;
    this.#onOpened = options.onOpened && neverThrowing(options.onOpened, onError);
  }

  get tools(): readonly Tool[] {
    return this.#parts.tools.list;
  }

  get running(): readonly string[] {
    return this.#parts.scheduler.running;
  }

  get draining(): boolean {
    return this.#drain.signal.aborted;
  }

  get drainSignal(): AbortSignal {
    return this.#drain.signal;
  }

  tool(name: string): Tool {
    return this.#parts.tools.require(name);
  }

  checkInput(input: unknown): void {
    const { maxInputBytes } = this.#parts.limits;
    checkLimit("maxInputBytes", lengthAtLeast(input, maxInputBytes), maxInputBytes);
  }

  useJsonSchemaValidator(validate: JsonSchemaValidator): void {
    const { tools, scheduler } = this.#parts;
    // An engine that opens later finds their tasks then; one that fails to open rejects for its own caller.
    if (tools.use(validate)) this.#opened?.then(() => scheduler.poller.notify()).catch(() => {});
  }

  replaceTools(tools: readonly Tool[]): void {
    const { tools: table, scheduler, onError } = this.#parts;
    table.replace(tools);
    // Tasks that waited for a tool run now, and other processes hear which tools there are.
    this.#opened
      ?.then(() => scheduler.versions.publish())
      .then(() => scheduler.poller.notify())
      .catch(onError);
  }

  async readTask(taskId: string): Promise<TaskSnapshot | undefined> {
    return isTaskId(taskId) ? this.#parts.store.getTask(taskId) : undefined;
  }

  forOwner(owner: string, { reaches }: Parameters<Engine["forOwner"]>[1] = {}): OwnedTasks {
    return new OneOwnersTasks(this.#parts, checkOwner(owner), reaches);
  }

  open(): Promise<void> {
    this.#opened ??= this.#begin().catch((error: unknown) => {
      // The store may be well again when the next caller comes.
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async checkHealth(): Promise<void> {
    await this.#parts.store.checkHealth?.();
  }

  async survey(): Promise<ServerSurvey> {
    await this.#parts.open();
    return surveyServers(this.#parts);
  }

  async sweep(): Promise<number> {
    const { scheduler } = this.#parts;
    const remove = (taskId: string) => scheduler.remove(taskId);
    const deleted = await sweepExpired(this.#parts, remove, () => this.draining);
    if (!this.draining) await forgetCompany(this.#parts);
    return deleted;
  }

  async drain({ timeoutMs, leave = [] }: DrainOptions = {}): Promise<readonly string[]> {
    const { limits, scheduler } = this.#parts;
    this.#drain.abort("draining");
    const left = await scheduler.drain(timeoutMs ?? limits.drainTimeoutMs, leave);
    for (const stop of this.#stops.splice(0)) stop();
    return left;
  }

  close(): Promise<void> {
    const { deliveries, store } = this.#parts;
    this.#closed ??= this.drain()
      .then(() => deliveries.allWritten())
      .then(() => store.close());
    return this.#closed;
  }

  async #begin(): Promise<void> {
    const { store, clock, limits, tools, scheduler, telemetry, onError } = this.#parts;
    if (this.draining) throw draining();
    const beat = (): Promise<void> => scheduler.versions.publish();
    await store.open();
    await refuseEncrypted(store);
    await beat();
    await scheduler.versions.look();
    // Before the first look for work: after it, what is recovered runs already.
    const recovery = this.#onOpened && (await countRecovery(store, new Set(tools.all.keys()), limits.recoverAfterMs));
    // A drain that began meanwhile has stopped all that there was to stop.
    if (this.draining) throw draining();
    // Nothing fails from here on: an opening that failed is repeated, and must have begun nothing.
    this.#stops.push(
      telemetry.opened(store),
      store.watch(undefined, () => scheduler.poller.notify()),
      repeat(clock, { firstMs: limits.heartbeatMs, everyMs: limits.heartbeatMs }, beat, onError),
      repeat(clock, { firstMs: limits.firstSweepMs, everyMs: limits.sweepEveryMs }, () => this.sweep(), onError),
    );
    if (recovery !== undefined) this.#onOpened?.(recovery);
    await scheduler.poller.look();
  }
}

/** A store of another package version may have methods that this engine does not know, and lack others. */
function checkContract(store: Store): void {
  const found: unknown = store.contractVersion;
  if (found === contractVersion) return;
  throw new ResumableError(
    "STORE_CONTRACT",
    `The store implements version ${String(found)} of the store contract, and this engine needs version ${contractVersion}. Install matching versions of @resumable-mcp/core and of the store.`,
    { details: { found: String(found), supported: String(contractVersion) } },
  );
}

function limitsWithDefaults(limits: EngineOptions["limits"]): EngineLimits {
  for (const [name, value] of Object.entries(limits ?? {})) {
    const isLimit = Object.hasOwn(engineDefaults, name);
    // Stores write down how long a lease holds, as JSON, which has no infinity.
    const isTaken = name === "leaseTtlMs" ? Number.isFinite(value) : true;
    if (isLimit && (value === undefined || (value >= 0 && isTaken))) continue;
    const rule = isLimit ? `must be ${isTaken ? "" : "a finite number, "}0 or more, not ${value}` : "is not a limit";
    throw invalid(`limits.${name}`, `${name} ${rule}.`);
  }
  return withDefaults<EngineLimits>(engineDefaults, limits);
}

/** What others hang in must not change what the engine does. */
function neverThrowing<Parameters extends readonly unknown[]>(
  call: ((...parameters: Parameters) => void) | undefined,
  onError: (error: unknown) => void = () => {},
): (...parameters: Parameters) => void {
  return (...parameters) => {
    try {
      call?.(...parameters);
    } catch (error) {
      onError(error);
    }
  };
}

function checkOwner(owner: string): string {
  if (isOwner(owner)) return owner;
  throw invalid("owner", "An owner is a tagged string such as sub:alice or session:4f1c; make it with ownerTag.");
}

function invalid(option: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}

function draining(): ResumableError {
  return new ResumableError(
    "DRAINING",
    "The server is about to stop and takes no new work. Try again in a few seconds.",
    { details: {} },
  );
}
