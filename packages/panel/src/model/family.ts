import type { TaskFacts } from "@resumable-mcp/protocol";
import type { PanelState } from "./panel-state.js";
import type { PanelTask } from "./panel-task.js";

/** A task that another one called, and what it called itself, the newest first. */
export interface CalledTask {
  /** What its caller knows of it. */
  readonly facts: NonNullable<TaskFacts["children"]>[number];
  readonly task: PanelTask | undefined;
  readonly children: readonly CalledTask[];
}

/** Tasks of one family that are shown at most. */
export const maxFamily = 300;

/** What a task called, on all levels that are known: as a tree, and level by level. */
export function readFamily(
  info: TaskFacts,
  tasks: PanelState["tasks"],
): readonly [tree: readonly CalledTask[], all: readonly CalledTask[]] {
  const all: (CalledTask & { readonly children: CalledTask[] })[] = [];
  const ids = new Set([info.id]);
  const add = (children: TaskFacts["children"] = []): readonly CalledTask[] => {
    const added = children
      .toReversed()
      .filter(({ taskId }) => !ids.has(taskId))
      .slice(0, maxFamily - all.length)
      .map((facts) => ({ facts, task: tasks.get(facts.taskId), children: [] }));
    for (const { facts } of added) ids.add(facts.taskId);
    all.push(...added);
    return added;
  };
  const tree = add(info.children);
  // The list grows while it is read.
  for (const { task, children } of all) children.push(...add(task?.info.children));
  return [tree, all];
}
