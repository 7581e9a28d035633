import type { OpenStore } from "../../open-store.js";
import { findClaimProblems } from "./find-claim-problems.js";
import { findFormatProblems } from "./find-format-problems.js";
import { findListProblems, findMarkerProblems } from "./find-list-problems.js";
import { findForeignFiles, findQuarantined, findSessionProblems } from "./find-other-problems.js";
import { findTaskProblems, taskIds } from "./find-task-problems.js";
import type { Problem } from "./problem.js";

/** What reading a whole store found. */
export interface Diagnosis {
  readonly tasks: number;
  readonly problems: readonly Problem[];
}

/** Reads all of a store, a file at a time. */
export async function findProblems(store: OpenStore): Promise<Diagnosis> {
  const problems: Problem[] = [...findFormatProblems(store)];
  const listed = await listedIds(store);
  let tasks = 0;
  for (const taskId of taskIds(store)) {
    tasks += 1;
    problems.push(...(await findTaskProblems(store, taskId, listed)));
  }
  problems.push(...findClaimProblems(store), ...findMarkerProblems(store), ...(await findListProblems(store)));
  problems.push(...findSessionProblems(store), ...findForeignFiles(store), ...findQuarantined(store));
  return { tasks, problems };
}

async function listedIds({ finished }: OpenStore): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const page of finished.pages(new Set())) for (const { head } of page) ids.add(head.id);
  return ids;
}
