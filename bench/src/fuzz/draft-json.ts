import type { Json } from "@resumable-mcp/core";
import type { Random } from "../kills/kill-plan.js";

/** Text that stands in a message as it is: what no value of JavaScript is written as. */
class RawText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose keys may occur twice. */
class Entries {
  readonly list: readonly (readonly [string, Draft])[];
  constructor(list: readonly (readonly [string, Draft])[]) {
    this.list = list;
  }
}

/** A message before it is written. */
export type Draft = null | boolean | number | string | readonly Draft[] | Entries | RawText;

/** Makes a draft of a value. */
export function draftOf(value: Json | undefined): Draft {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(draftOf);
  return new Entries(Object.entries(value).map(([key, part]) => [key, draftOf(part)]));
}

/** Writes a draft. */
export function textOf(draft: Draft): string {
  if (draft instanceof RawText) return draft.text;
  if (draft instanceof Entries)
    return `{${draft.list.map(([key, part]) => `${JSON.stringify(key)}:${textOf(part)}`).join(",")}}`;
  if (Array.isArray(draft)) return `[${draft.map(textOf).join(",")}]`;
  return JSON.stringify(draft);
}

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const raw = (text: string) => new RawText(text);
const wide = (keys: number) => `{${Array.from({ length: keys }, (_, key) => `"key${key}":0`).join(",")}}`;

/** Values that programs do not expect. Those that are long to write are made when they are drawn. */
const hostileValues: readonly [() => Draft, ...(() => Draft)[]] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324].map((value) => () => value),
  ...["1e400", "-1e400", "-0", "123456789012345678901234567890", "0.1e-999", "1E+2"].map((text) => () => raw(text)),
  ...["", " ", "0", "null", "\ud800", "\udfff\ud800", "\u0000", "\u2028", "\u001b[2J", "\ufeff", "é".repeat(99)],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "../../../etc/passwd", "file:///etc/passwd", "%00%2f"],
  ...["task://", "task://x/journal", "ask:none:name", "own_1_2_tools", "once_a_0_W10", "all_x.0", "rmcp1.e30.x"],
  ...["\r\nx-injected: 1\r\n\r\n", "<script>", "$" + "{7*7}", "{{7*7}}", "a".repeat(257), "b".repeat(5_000)],
].map((entry) => (typeof entry === "function" ? entry : () => entry)) as [() => Draft];

const costlyValues: readonly [() => Draft, ...(() => Draft)[]] = [
  () => "c".repeat(70_000),
  () => raw(deep(250)),
  () => raw(deep(300)),
  () => raw(deep(100_000)),
  () => raw(wide(2_000)),
  () => raw(wide(30_000)),
  () => raw(`[${"0,".repeat(60_000)}0]`),
  () => raw('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  () => raw('{"then":1,"toJSON":2,"valueOf":null,"length":-1,"0":0}'),
];

const prototypeNames = ["__proto__", "constructor", "prototype", "toString", "then", "toJSON", "", "length"] as const;

/** Changes one place of a draft; `undefined` takes it out. */
type Change = (draft: Draft, random: Random) => Draft | undefined;

const changes: readonly [Change, ...Change[]] = [
  (_, random) => random.pick(hostileValues)(),
  (_, random) => random.pick(hostileValues)(),
  (_, random) => (random.next() < 0.2 ? random.pick(costlyValues)() : random.pick(hostileValues)()),
  () => undefined,
  (draft) => [draft],
  (draft) => new Entries([["value", draft]]),
  (draft) => textOf(draft).slice(0, 1_000),
  (draft) =>
    typeof draft === "string" ? Number(draft) || 0 : draft instanceof Entries ? draft.list.map(([, part]) => part) : 7,
  // Twice the same key, with another value.
  (draft, random) => {
    const list = draft instanceof Entries ? draft.list : [];
    const [key] = list[random.between(0, list.length)] ?? ["id"];
    return new Entries([...list, [key, random.pick(hostileValues)()]]);
  },
  (draft, random) => {
    const list = draft instanceof Entries ? draft.list : [];
    return new Entries([...list, [random.pick(prototypeNames), random.pick(hostileValues)()]]);
  },
  (draft, random) => {
    if (!(draft instanceof Entries) || draft.list.length === 0) return [];
    const renamed = random.between(0, draft.list.length - 1);
    return new Entries(
      draft.list.map(([key, part], at) => [
        at === renamed ? random.pick([...prototypeNames, key.toUpperCase()]) : key,
        part,
      ]),
    );
  },
  (draft) => (typeof draft === "string" ? draft + draft.slice(0, 40_000) : draft),
];

/** Changes something in a draft. */
export function mutateJson(draft: Draft, random: Random): Draft {
  const places = countPlaces(draft);
  // The message itself and its own fields come first: a mutation of them is refused before anything else is looked at.
  const own = random.next() < 0.15 ? 0 : Math.min(5, places - 1);
  const at = random.between(own, places - 1);
  const change = random.pick(changes);
  return changeAt(draft, { at }, (part) => change(part, random)) ?? null;
}

function countPlaces(draft: Draft): number {
  const parts = draft instanceof Entries ? draft.list.map(([, part]) => part) : Array.isArray(draft) ? draft : [];
  return parts.reduce<number>((sum, part) => sum + countPlaces(part), 1);
}

/** @param left how many places come before the one that changes. */
function changeAt(draft: Draft, left: { at: number }, change: (draft: Draft) => Draft | undefined): Draft | undefined {
  if (left.at === 0) {
    left.at = -1;
    return change(draft);
  }
  if (left.at < 0) return draft;
  left.at -= 1;
  if (draft instanceof Entries) {
    const list = draft.list.flatMap(([key, part]) => {
      const changed = changeAt(part, left, change);
      return changed === undefined ? [] : [[key, changed] as const];
    });
    return new Entries(list);
  }
  if (!Array.isArray(draft)) return draft;
  return draft.flatMap((part: Draft) => {
    const changed = changeAt(part, left, change);
    return changed === undefined ? [] : [changed];
  });
}
