import { type Evidence, eventsOf, type Violation } from "./evidence.js";

/** What a call may be answered with whatever it asks for. */
const passing = /^(LOST|DRAINING|STORE_[A-Z_]+)/;

/** What the state of the server is answered with, also over MCP. */
const passingOverMcp = /DRAINING|STORE_[A-Z_]+|[A-Z]+_EXCEEDED|^5\d\d| 5\d\d /;

/** G10: an owner sees their own tasks only, and cannot tell a foreign one from one that does not exist. */
export function checkOwners({ events, tasks }: Evidence): readonly Violation[] {
  const ownerOf = new Map(tasks.map(({ record }) => [record.id, record.owner]));
  for (const { task, owner } of eventsOf(events, "called")) {
    if (owner !== undefined) ownerOf.set(String(task), String(owner));
  }
  const given = eventsOf(events, "called").filter(({ owner, recordOwner }) => (recordOwner ?? owner) !== owner);
  const listed = eventsOf(events, "listed").flatMap(({ owner, tasks: ids }) =>
    String(ids)
      .split(" ")
      .filter((id) => (ownerOf.get(id) ?? owner) !== owner)
      .map((id) => `The list of ${owner} has ${id} of ${ownerOf.get(id)}.`),
  );
  const wrong = tasks.filter(({ owner, record }) => owner !== record.owner);
  const trespassed = eventsOf(events, "trespasses").filter(({ foreign, unknown }) => {
    if (passing.test(String(foreign)) || passing.test(String(unknown))) return false;
    return foreign !== unknown || !String(foreign).startsWith("TASK_NOT_FOUND");
  });
  const intruded = eventsOf(events, "intrudes").filter(
    ({ foreign, unknown }) => foreign !== unknown && !passingOverMcp.test(`${foreign} ${unknown}`),
  );
  return [
    ...intruded.map(
      ({ method, foreign, unknown }) =>
        `A stranger sent ${method} with a foreign id: ${foreign}. With an unknown one: ${unknown}`,
    ),
    ...given.map(({ owner, task, recordOwner }) => `The call of ${owner} got ${task} of ${recordOwner}.`),
    ...listed,
    ...wrong.map(({ owner, record }) => `${owner} can read ${record.id} of ${record.owner}.`),
    ...trespassed.map(
      ({ owner, method, foreign, unknown }) =>
        `${owner} called ${method} with a foreign id: ${foreign} With an unknown one: ${unknown}`,
    ),
  ].map((text) => ({ rule: "G10", text }));
}
