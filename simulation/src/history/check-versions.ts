import type { Evidence, Violation } from "./evidence.js";

/** G2: code of an earlier version never runs a task that a later one ran: it cannot know what that one left. */
export function checkVersions({ tasks }: Evidence): readonly Violation[] {
  return tasks.flatMap(({ record, followed }) => {
    let newest = 0;
    return followed.flatMap((each): readonly Violation[] => {
      if (each.kind !== "event" || each.event.type !== "attempt_started") return [];
      const version = Number(each.event.toolVersion);
      const isEarlier = version < newest;
      newest = Math.max(newest, version);
      const text = `${record.id} was run by version ${version} after version ${newest}, at its event ${each.event.seq}.`;
      return isEarlier ? [{ rule: "G2", text }] : [];
    });
  });
}
