import { type Engine, type OwnedTasks, ResumableError, type Tool } from "@resumable-mcp/core";
import type { Locality, VerifiedToken } from "./owner.js";

/** What is known of a caller's rights. */
export interface CallerRights {
  readonly token: VerifiedToken | undefined;
  readonly locality: Locality;
}

/**
 * The scopes that a tool requires and a caller does not have. The user of this machine needs none; no other caller
 * without a token has any. Pure.
 */
export function missingScopes({ requiredScopes = [] }: Pick<Tool, "requiredScopes">, caller: CallerRights): string[] {
  const { token, locality } = caller;
  if (token === undefined && locality.local) return [];
  return requiredScopes.filter((scope) => token?.scopes?.includes(scope) !== true);
}

/**
 * Keeps a caller from the tools whose scopes its token lacks, and from their tasks, although the tasks are its owner's:
 * a token with fewer scopes reads no results and gives no answers.
 *
 * `count` counts all tasks of the owner, and pages of `list` may hold fewer tasks than asked for.
 */
export function tasksWithin(engine: Engine, tasks: OwnedTasks, caller: CallerRights): OwnedTasks {
  const missing = engine.tools.map((tool) => [tool.name, missingScopes(tool, caller)] as const);
  const closed = new Map(missing.filter(([, scopes]) => scopes.length > 0));
  if (closed.size === 0) return tasks;
  const check = (tool: string): void => {
    const missing = closed.get(tool);
    if (missing !== undefined) throw insufficientScope(tool, missing);
  };
  const get: OwnedTasks["get"] = async (taskId) => {
    const view = await tasks.get(taskId);
    check(view.record.tool);
    return view;
  };
  const checked =
    <Rest extends readonly unknown[], Result>(method: (taskId: string, ...rest: Rest) => Promise<Result>) =>
    async (taskId: string, ...rest: Rest): Promise<Result> => {
      await get(taskId);
      return method(taskId, ...rest);
    };
  return {
    ...tasks,
    get,
    async start(request) {
      check(request.tool);
      return tasks.start(request);
    },
    async find(call) {
      check(call.tool);
      return tasks.find(call);
    },
    async list(query) {
      const { damaged, ...page } = await tasks.list(query);
      const isOpen = ({ tool }: { readonly tool: string }) => !closed.has(tool);
      return { ...page, tasks: page.tasks.filter(isOpen), damaged: damaged?.filter(isOpen) };
    },
    async *follow(taskId, options) {
      await get(taskId);
      yield* tasks.follow(taskId, options);
    },
    wait: checked(tasks.wait),
    pause: checked(tasks.pause),
    resume: checked(tasks.resume),
    cancel: checked(tasks.cancel),
    answer: checked(tasks.answer),
    delete: checked(tasks.delete),
    items: checked(tasks.items),
    artifact: checked(tasks.artifact),
    detach: checked(tasks.detach),
  };
}

/** @throws {@link ResumableError} `INSUFFICIENT_SCOPE` when a caller lacks scopes of a tool of the engine. */
export function checkScopes({ tools }: Engine, name: string, caller: CallerRights): void {
  const tool = tools.find((one) => one.name === name);
  const missing = tool === undefined ? [] : missingScopes(tool, caller);
  if (missing.length > 0) throw insufficientScope(name, missing);
}

function insufficientScope(tool: string, missing: readonly string[]): ResumableError {
  const message = `The token lacks what the tool ${tool} requires: ${missing.join(" ")}. Sign in again with these scopes.`;
  return new ResumableError("INSUFFICIENT_SCOPE", message, { details: { tool, missing } });
}
