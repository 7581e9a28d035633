import { encodeLine } from "@resumable-mcp/store-fs/admin";

/** A line of an exported file, any field of which can be forged. */
interface Line {
  type: string;
  base?: { [field: string]: unknown } | null;
  events?: { [field: string]: unknown }[];
  [field: string]: unknown;
}

const updatedAt = "2026-01-01T00:00:00.000Z";

type Change = (line: Line) => void;

const first = (lines: readonly Line[], type: string, fits: (line: Line) => boolean = () => true) =>
  lines.findIndex((line) => line.type === type && fits(line));
const created = (line: Line) => line.events?.[0]?.type === "created";
const task = (line: Line) => line.events?.[0]?.task as { [field: string]: unknown };

/** Becomes so many lists in each other, which `JSON.stringify` cannot write. */
const deep = (levels: number) => `deep ${levels}`;

const inEvent =
  (field: string, value: unknown): Change =>
  ({ events: [event] = [] }) => {
    if (event !== undefined) event[field] = value;
  };
const inTask =
  (field: string, value: unknown): Change =>
  (line) => {
    task(line)[field] = value;
  };
const inBase =
  (field: string, value: unknown): Change =>
  ({ base }) => {
    if (base) base[field] = value;
  };
const hasBase = ({ base }: Line) => base !== null;

type Place = readonly [type: string, fits?: (line: Line) => boolean];
const begins: Place = ["events", created];
const compacted: Place = ["task", hasBase];

/** What is forged, in which line, and the field that the refusal names. */
export const forgeries: readonly (readonly [what: string, place: Place, change: Change, reason: RegExp])[] = [
  [
    "an input that nests deeply",
    begins,
    inTask("input", deep(200_000)),
    /events\[0\]\.task\.input nests deeper than 1000/,
  ],
  [
    "items that nest deeply",
    ["items"],
    (line) => Object.assign(line, { items: [deep(5_000)] }),
    /items\[0\].* nests deeper/,
  ],
  [
    "a document that nests deeply",
    ["document"],
    (line) => Object.assign(line, { value: deep(5_000) }),
    /value.* nests deeper/,
  ],
  [
    "a count of tasks at the end",
    ["end"],
    (line) => Object.assign(line, { tasks: 99 }),
    /tasks is 99, and the file holds 4/,
  ],
  ["a count of items", compacted, inBase("itemCount", 1e9), /itemCount .*: the file holds \d+ items/],
  ["a negative count", compacted, inBase("attempt", -1), /base\.attempt is not a count/],
  ["a count that is a text", compacted, inBase("lastSeq", "7"), /base\.lastSeq/],
  [
    "a size of items",
    ["events", ({ events = [] }) => events[0]?.type === "checkpoint"],
    inEvent("itemBytes", -5),
    /events\[0\]\.itemBytes is not a count/,
  ],
  [
    "a tool's name that leads elsewhere",
    begins,
    inTask("tool", "../../stray"),
    /events\[0\]\.task\.tool is not the name of a tool/,
  ],
  [
    "a tool's name that steers a terminal",
    begins,
    inTask("tool", "\u001b[2Jpay"),
    /events\[0\]\.task\.tool is not the name of a tool/,
  ],
  ["a tool's name in a base", compacted, inBase("tool", "a/b"), /base\.tool is not the name of a tool/],
  [
    "an id that leads elsewhere",
    ["task"],
    (line) => Object.assign(line, { id: "../../../../stray-task" }),
    /id is not the id of a task/,
  ],
  ["a moment that is none", begins, inEvent("at", "2026-99-99T00:00:00.000Z"), /events\[0\]\.at is not a time/],
  ["a moment that is a path", begins, inEvent("at", "../../../stray"), /events\[0\]\.at is not a time/],
  [
    "a day that no month has",
    compacted,
    inBase("createdAt", "2026-02-31T00:00:00.000Z"),
    /base\.createdAt is not a time/,
  ],
  [
    "a time of a document",
    ["document"],
    (line) => Object.assign(line, { updatedAt: "soon" }),
    /updatedAt is not a time/,
  ],
  ["a created event without its task", begins, inEvent("task", undefined), /events\[0\]\.task/],
  [
    "items that are no list",
    ["events", ({ events = [] }) => events[0]?.type === "checkpoint"],
    inEvent("items", 7),
    /events\[0\]\.items/,
  ],
];

/** The lines of an exported file with one of them changed, each with the checksum that it then has. */
export function forge(
  file: Buffer,
  [type, fits]: Place,
  change: Change,
): { readonly data: Buffer; readonly line: number } {
  const lines = String(file)
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text) as Line);
  lines.splice(-1, 0, { type: "document", kind: "key", id: "signing", owner: "server", value: "secret", updatedAt });
  const at = first(lines, type, fits);
  const forged = lines[at];
  if (forged === undefined) throw new Error(`The file has no such line: ${type}`);
  change(forged);
  return { data: Buffer.concat(lines.map((line) => encodeLine(textOf(line)))), line: at + 1 };
}

function textOf(line: Line): string {
  const levels = (_all: string, count: string) => `${"[".repeat(Number(count))}1${"]".repeat(Number(count))}`;
  return JSON.stringify({ ...line, crc: undefined }).replace(/"deep (\d+)"/, levels);
}
