import type { Json, JsonObject, QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import { decodeTask, JsonFields } from "@resumable-mcp/protocol";
import { canDo, type TaskVerb } from "@resumable-mcp/protocol/display";
import { CallError, type PanelConnection, type PanelTool } from "../connection/connection.js";
import { initialState, type PanelAction, type PanelState, reducePanel } from "./panel-state.js";
import { type PollFacts, pollDelayMs } from "./poll-delay.js";
import { type PollContext, pollList, pollOpened, pollServer, pollTask, pollTitles } from "./polls.js";
import { type Route, viewKey } from "./route.js";
import { type RunnableTool, readTools } from "./runnable-tool.js";

/** What the panel gets from its window. */
export interface PanelEnvironment {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs a function later; returns how to prevent that. */
  readonly schedule: (run: () => void, delayMs: number) => () => void;
  /** 0 to 1. */
  readonly random: () => number;
  /** Whether the page cannot be seen. */
  readonly hidden: () => boolean;
}

/** What a user can ask of several tasks at once. */
export type BulkVerb = Exclude<TaskVerb, "answer">;

const verbTools: Readonly<Record<BulkVerb, PanelTool>> = {
  pause: "pause_task",
  resume: "resume_task",
  cancel: "cancel_task",
  delete: "delete_task",
};

/** Requests that are on their way at once, of those that one click asks for. */
const maxAtOnce = 4;

/** Keeps what the views show true: polls what is looked at, and asks the server for what the user wants. */
export class PanelModel {
  readonly connection: PanelConnection;
  readonly #environment: PanelEnvironment;
  readonly #listeners = new Set<() => void>();
  #state: PanelState = initialState;
  #route: Route | undefined;
  #failures = 0;
  #cancel: (() => void) | undefined;
  /** Polls of an earlier route are not waited for, and decide nothing. */
  #round = 0;
  #closed = false;
  #asksOnce = false;
  /** Raised when another user may follow: what was asked for before that is dropped. */
  #epoch = 0;
  readonly #unsubscribe: () => void;

  constructor(connection: PanelConnection, environment: PanelEnvironment) {
    this.connection = connection;
    this.#environment = environment;
    this.#unsubscribe = connection.subscribe(() => this.#connectionChanged());
    if (connection.signIn?.signedIn === false) this.#dispatch({ type: "signed_out" });
  }

  readonly getSnapshot = (): PanelState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Polls what a route shows, from now on. */
  look(route: Route): void {
    const isSame = this.#route !== undefined && viewKey(route) === viewKey(this.#route);
    this.#route = route;
    if (isSame) return;
    this.#dispatch({ type: "looked", taskId: route.name === "task" ? route.taskId : undefined });
    this.pollNow();
  }

  /** Polls at once: the user has come back, or has asked for something. */
  pollNow(): void {
    this.#cancel?.();
    this.#round += 1;
    void this.#poll(this.#round);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#unsubscribe();
    this.#listeners.clear();
  }

  /** Shows the tasks of all owners, or of the caller alone. */
  showAllOwners(allOwners: boolean): void {
    // What was asked for before may be of others.
    this.#epoch += 1;
    this.#asksOnce = false;
    this.#dispatch({ type: "owners", allOwners });
    this.pollNow();
  }

  dismiss(): void {
    this.#dispatch({ type: "notice", notice: undefined });
  }

  /** Asks for something with those of the tasks for which it makes sense. */
  async steer(verb: BulkVerb, ids: readonly string[]): Promise<void> {
    const queue = ids.filter((id) => {
      const task = this.#state.tasks.get(id);
      return task !== undefined && canDo(verb, task);
    });
    const work = async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) await this.#steerOne(verb, id);
    };
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, queue.length) }, work));
    this.pollNow();
  }

  /** The tools that the user may run; of one that is named, with the schema of its arguments. */
  async tools(tool?: string): Promise<readonly RunnableTool[] | undefined> {
    const answer = await this.#ask("list_tools", tool === undefined ? {} : { tool });
    return answer && readTools(answer);
  }

  /** Begins a task of a tool; resolves to its id. */
  run(tool: string, args: JsonObject): Promise<string | undefined> {
    return this.#begin("run_tool", { tool, arguments: args });
  }

  /** Begins a finished task once more, with its arguments unless others are given; resolves to the id of the new one. */
  restart(taskId: string, args?: JsonObject): Promise<string | undefined> {
    return this.#begin("restart_task", { task_id: taskId, ...(args && { arguments: args }) });
  }

  async #begin(tool: PanelTool, args: JsonObject): Promise<string | undefined> {
    return JsonFields.of(await this.#ask(tool, args))?.text("task_id");
  }

  /** Passes on the user's answer. */
  async answer(taskId: string, question: TaskQuestion, answer: QuestionAnswer): Promise<void> {
    const tool = question.userOnly ? "answer_question" : "answer_task";
    const taken = await this.#ask(tool, { task_id: taskId, key: question.key, ...answer });
    if (taken !== undefined) this.pollNow();
  }

  /** Reads one page of a task's items. Rejects with a `CallError`. */
  async items(taskId: string, after: number, limit: number): Promise<readonly Json[]> {
    const answer = await this.#call("get_task_items", { task_id: taskId, after, limit });
    return JsonFields.of(answer)?.list("items") ?? [];
  }

  async #steerOne(verb: BulkVerb, taskId: string): Promise<void> {
    if (verb === "pause" || verb === "cancel") this.#dispatch({ type: "requested", taskId, verb });
    const answer = await this.#ask(verbTools[verb], { task_id: taskId });
    if (answer === undefined) this.#dispatch({ type: "requested", taskId, verb: undefined });
    else if (verb === "delete") this.#dispatch({ type: "removed", taskId });
  }

  readonly #call: PollContext["call"] = (tool, args) => this.connection.call(tool, args, this.#state.allOwners);

  #context(): PollContext {
    const epoch = this.#epoch;
    return {
      call: this.#call,
      connection: this.connection,
      state: () => this.#state,
      dispatch: (action) => this.#dispatch(action, epoch),
      now: this.#environment.now,
    };
  }

  /** Calls a tool for the user; what goes wrong becomes a notice. */
  async #ask(tool: PanelTool, args: JsonObject): Promise<JsonObject | undefined> {
    const epoch = this.#epoch;
    try {
      const answer = await this.#call(tool, args);
      const task = decodeTask(answer);
      if (task !== undefined) this.#dispatch({ type: "seen", task, atMs: this.#environment.now() }, epoch);
      return answer;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#dispatch({ type: "notice", notice: { kind: "error", text } }, epoch);
      return undefined;
    }
  }

  #connectionChanged(): void {
    const signedOut = this.connection.signIn?.signedIn === false;
    this.#failures = 0;
    if (signedOut) this.#epoch += 1;
    this.#asksOnce = false;
    this.#dispatch({ type: signedOut ? "signed_out" : "connecting" });
    this.pollNow();
  }

  async #poll(round: number): Promise<void> {
    const route = this.#route;
    if (this.#closed || route === undefined || this.connection.signIn?.signedIn === false) return;
    const { now, random, hidden, schedule } = this.#environment;
    const startedMs = now();
    const outcome = await this.#pollRoute(route);
    if (this.#closed || round !== this.#round || outcome === "signed_out") return;
    this.#failures = typeof outcome === "string" ? 0 : this.#failures + 1;
    const activity: PollFacts["activity"] = typeof outcome === "string" ? outcome : "waiting";
    const facts = { activity, hidden: hidden(), failures: this.#failures, tookMs: now() - startedMs };
    const delayMs = pollDelayMs(facts, random());
    const isAnswer = typeof outcome === "string" || outcome.failure !== "away";
    if (isAnswer) this.#answered();
    // A server that refuses is there: what is shown stays true, and its reason is said.
    if (typeof outcome !== "string" && isAnswer)
      this.#dispatch({ type: "notice", notice: { kind: "error", text: outcome.message } });
    if (!isAnswer) this.#dispatch({ type: "away", reason: outcome.message, atMs: now(), retryAtMs: now() + delayMs });
    this.#cancel = schedule(() => void this.#poll(round), delayMs);
  }

  #answered(): void {
    this.#dispatch({ type: "live" });
    const { server, titles } = this.#state;
    if ((server !== undefined && titles !== undefined) || this.#asksOnce) return;
    this.#asksOnce = true;
    // Whether the caller is an operator decides whether there is a way to the server's view.
    const epoch = this.#epoch;
    const context = this.#context();
    void Promise.allSettled([pollServer(context), pollTitles(context)]).then(() => {
      if (epoch === this.#epoch) this.#asksOnce = false;
    });
  }

  /** What the route needs, read once: how lively it is, or why the server cannot be reached. */
  async #pollRoute(route: Route): Promise<PollFacts["activity"] | "signed_out" | CallError> {
    const context = this.#context();
    try {
      if (route.name === "server") return await pollServer(context);
      if (route.name === "task") return await pollTask(context, route.taskId);
      return await (route.name === "list" ? pollList(context) : pollOpened(context));
    } catch (error) {
      const failure = error instanceof CallError ? error : new CallError("away", String(error));
      // Without a way to sign in, who calls cannot change: the server is tried again.
      return failure.failure === "signed_out" && this.connection.signIn !== undefined ? "signed_out" : failure;
    }
  }

  #dispatch(action: PanelAction, epoch = this.#epoch): void {
    if (epoch !== this.#epoch) return;
    const next = reducePanel(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }
}
