/** The parts of a task's view. */
export const taskParts = ["timeline", "log", "steps", "items", "result"] as const;

/** One of the parts. */
export type TaskPart = (typeof taskParts)[number];

/** Which tasks the list shows. */
export const listFilters = ["all", "active", "waiting", "failed", "finished"] as const;

/** One of the filters. */
export type ListFilter = (typeof listFilters)[number];

/** Where in the panel the user is. */
export type Place =
  | { readonly name: "list"; readonly words: string; readonly show: ListFilter }
  | { readonly name: "task"; readonly taskId: string; readonly part?: TaskPart }
  | { readonly name: "server" }
  /** In a host: the task of the call for which the view was opened. */
  | { readonly name: "opened"; readonly part?: TaskPart };

/** The list as it is first seen. */
export const listPlace: Place = { name: "list", words: "", show: "all" };

/** Reads a place from the fragment of an address; everything that is none is the list. */
export function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, taskId = "", part] = path.split("/").map(decoded);
  if (name === "server") return { name: "server" };
  if (name === "tasks" && taskId !== "") return { name: "task", taskId, part: taskParts.find((one) => one === part) };
  const params = new URLSearchParams(query);
  const show = listFilters.find((one) => one === params.get("show")) ?? "all";
  return { name: "list", words: params.get("q") ?? "", show };
}

/** Writes a place as the fragment of an address. */
export function writePlace(place: Place): string {
  if (place.name === "server") return "#/server";
  if (place.name === "task")
    return `#/tasks/${encodeURIComponent(place.taskId)}${place.part === undefined ? "" : `/${place.part}`}`;
  if (place.name === "opened") return "#/";
  const params = new URLSearchParams();
  if (place.words !== "") params.set("q", place.words);
  if (place.show !== "all") params.set("show", place.show);
  return params.size === 0 ? "#/" : `#/?${params}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
