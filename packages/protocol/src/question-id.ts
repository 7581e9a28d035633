/** The id by which a client of the 2025 era knows a question: the same in every process. */
export function questionId(taskId: string, key: string): string {
  return `ask:${taskId}:${key}`;
}

/** Reads such an id; `undefined` for any other id. */
export function parseQuestionId(wireId: string): { readonly taskId: string; readonly key: string } | undefined {
  const [, taskId, key] = /^ask:([A-Za-z0-9_-]{1,64}):(.*)$/s.exec(wireId) ?? [];
  return taskId === undefined || key === undefined ? undefined : { taskId, key };
}
