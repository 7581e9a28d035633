import { type ListRange, listRanges } from "@resumable-mcp/protocol/display";

/** The parts of a task's view. */
export const taskParts = ["timeline", "log", "steps", "items", "result"] as const;

/** One of the parts. */
export type ScreenPart = (typeof taskParts)[number];

/** Which tasks the list shows. */
export const listFilters = ["all", "active", "waiting", "failed", "finished"] as const;

/** One of the filters. */
export type ListFilter = (typeof listFilters)[number];

/** The columns of the list; it is sorted by each of them. */
export const listColumns = ["task", "status", "progress", "rate", "left", "time"] as const;

/** In which order tasks are shown: what is not over and the newest first, or by one column alone. */
export const listOrders = ["newest", ...listColumns] as const;

/** One of the orders. */
export type ListOrder = (typeof listOrders)[number];

/** Where in the panel the user is. */
export type Route =
  | {
      readonly name: "list";
      readonly words: string;
      readonly show: ListFilter;
      readonly order: ListOrder;
      /** The other way round than a column is sorted at first. */
      readonly reversed: boolean;
      readonly range: ListRange;
      /** The tool whose tasks are shown; empty: all. */
      readonly tool: string;
    }
  | { readonly name: "task"; readonly taskId: string; readonly part?: ScreenPart }
  | { readonly name: "server" }
  /** In a host: the task of the call for which the view was opened. */
  | { readonly name: "opened"; readonly part?: ScreenPart };

/** The list as it is first seen. */
export const listRoute = {
  ...{ name: "list", words: "", show: "all", order: "newest" },
  ...{ reversed: false, range: "all", tool: "" },
} as const satisfies Route;

/** Reads a route from the fragment of an address; everything that is none is the list. */
export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, taskId = "", part] = path.split("/").map(decoded);
  if (name === "server") return { name: "server" };
  if (name === "tasks" && taskId !== "") return { name: "task", taskId, part: taskParts.find((one) => one === part) };
  const params = new URLSearchParams(query);
  const show = listFilters.find((one) => one === params.get("show")) ?? "all";
  const order = listOrders.find((one) => one === params.get("sort")) ?? "newest";
  const range = listRanges.find((one) => one === params.get("range")) ?? "all";
  const reversed = params.get("reverse") === "yes";
  return { name: "list", words: params.get("q") ?? "", show, order, reversed, range, tool: params.get("tool") ?? "" };
}

/** Writes a route as the fragment of an address. */
export function writeRoute(route: Route): string {
  if (route.name === "server") return "#/server";
  if (route.name === "task")
    return `#/tasks/${encodeURIComponent(route.taskId)}${route.part === undefined ? "" : `/${route.part}`}`;
  if (route.name === "opened") return "#/";
  const params = new URLSearchParams();
  if (route.words !== "") params.set("q", route.words);
  if (route.show !== "all") params.set("show", route.show);
  if (route.order !== "newest") params.set("sort", route.order);
  if (route.reversed) params.set("reverse", "yes");
  if (route.range !== "all") params.set("range", route.range);
  if (route.tool !== "") params.set("tool", route.tool);
  return params.size === 0 ? "#/" : `#/?${params}`;
}

/** Which view a route shows, of which task: what is polled depends on it. */
export function viewKey(route: Route): string {
  return route.name === "task" ? `task ${route.taskId}` : route.name;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
