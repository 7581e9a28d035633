import type { Json, Store, TaskRecord } from "@resumable-mcp/core";
import type { Remembered, Signal, StoredDocument, TaskEvent, TaskQuery } from "@resumable-mcp/core/store";

/** Seals the parts of one task or document, or opens them: both go through its fields in the same way. */
export interface Codec {
  readonly seals: boolean;
  /** The task or document. */
  readonly scope: string;
  /** @param kind the field, and what else its value is bound to. @param index the position of an item in its event. */
  value(kind: string, value: Json | undefined, index?: number): Json;
  /** A name, which is sealed to the same text each time. */
  name(scope: string, name: string): string;
  /** What was made of the same object before. @param as what it was taken for: as anything else, it is made again. */
  once<Part extends object>(part: Part, as: string, make: () => Part): Part;
}

/** Fields that others of the same object are bound to. */
interface Holder {
  readonly type?: string;
  readonly kind?: string;
  readonly key?: string | null;
  readonly owner?: string;
  readonly tool?: string;
  readonly artifact?: string;
  readonly bytes?: number;
}

type DocumentPut = Parameters<Store["putDocument"]>[0];
type IdleQuery = Parameters<Store["listIdleDocuments"]>[0];

type FieldsOf<Holders> = Holders extends unknown ? keyof Holders : never;
type ValueOf<Holders, Field> = Holders extends { readonly [Name in Field & PropertyKey]?: infer Value } ? Value : never;
/** What becomes of the fields of objects. A field without a rule stays readable. */
type Rules<Holders> = {
  readonly [Field in FieldsOf<Holders>]?: (
    value: Exclude<ValueOf<Holders, Field>, undefined>,
    codec: Codec,
    holder: Holder,
  ) => unknown;
};

/** Of tasks, of records, and of what lists have of them. The input is bound to the owner and the tool. */
export const taskFields = {
  owner,
  key: (call, codec, task) => (call === null ? null : codec.name(`call ${sealedOwner(codec, task)}`, call)),
  input: (input, codec, task) => codec.value(`input ${sealedOwner(codec, task)} ${task.tool}`, input),
  session: (session, codec) => codec.name("session", session),
  label: value("label"),
  parent,
  message: value("message"),
  state: value("state"),
  output: value("output"),
  error,
  refused: (refused, codec) => mapFields(refused, { message: value("message") }, codec),
  waitsFor: (keys, codec) => keys.map((name) => key(name, codec)),
  remembered: (remembered, codec) => codec.once(remembered, codec.scope, () => mapRemembered(remembered, codec)),
} as const satisfies Rules<TaskRecord>;

/** Of events, of signals, and of what a record remembers of them. */
export const eventFields = {
  task: (task, codec) => mapFields(task, taskFields, codec),
  message: value("message"),
  state: value("state"),
  items: (items, codec) => items.map((item, index) => codec.value("item", item, index)),
  key,
  map: (map, codec) => mapFields(map, { key, digest: value("digest") }, codec),
  digest: value("digest"),
  keys: (keys, codec) => keys.map((name) => key(name, codec)),
  value: (result, codec, holder) => codec.value(keyed("step", codec, holder), result),
  // With it, which chunks have this name, and how long they are together.
  mimeType: (mimeType, codec, holder) =>
    codec.value(keyed(`artifact ${holder.artifact} ${holder.bytes}`, codec, holder), mimeType),
  // When a question ends decides when its task may run: stores read it.
  question(question, codec, holder) {
    const kind = keyed("question", codec, holder);
    if (!codec.seals) return codec.value(kind, question.message);
    const { expiresAt } = question;
    return { message: codec.value(kind, { ...question }), schema: {}, ...(expiresAt !== undefined && { expiresAt }) };
  },
  answer(answer, codec, holder) {
    const kind = keyed("answer", codec, holder);
    if (codec.seals) return { action: "accept", content: { sealed: codec.value(kind, { ...answer }) } };
    return codec.value(kind, answer.action === "accept" ? answer.content.sealed : undefined);
  },
  data: value("log"),
  output: value("output"),
  error,
  stack: value("stack"),
  reason: (reason, codec, { type }) => (type === "cancelled" ? codec.value("reason", reason) : reason),
} as const satisfies Rules<TaskEvent | Signal | Remembered>;

/** Of queries. */
export const queryFields = {
  owner,
  group: (group, codec) => codec.name("group", group),
} as const satisfies Rules<TaskQuery | IdleQuery>;

/** Of documents, and of what puts them. The value is bound to the owner. */
export const documentFields = {
  id: (id, codec, { kind }) => codec.name(`document ${kind}`, id),
  owner,
  value: (content, codec, document) => codec.value(`document ${sealedOwner(codec, document)}`, content),
  counted: (counted, codec) => mapFields(counted, queryFields, codec),
} as const satisfies Rules<StoredDocument | DocumentPut>;

/** Seals or opens the fields of an object that have a rule. @param holder what they are bound to, where it is not that object. */
export function mapFields<Given extends object>(
  given: Given,
  rules: { readonly [field: string]: (value: never, codec: Codec, holder: Holder) => unknown },
  codec: Codec,
  holder: Holder = given,
): Given {
  const mapped = { ...given } as Record<string, unknown>;
  for (const field in rules)
    if (mapped[field] !== undefined) mapped[field] = rules[field]?.(mapped[field] as never, codec, holder);
  // A rule makes of a value one that fits in the same place.
  return mapped as Given;
}

/** Stores hand on what did not change: only what is new is made. */
function mapRemembered(remembered: TaskRecord["remembered"], codec: Codec): TaskRecord["remembered"] {
  const entries = Object.entries(remembered).map(([name, entry]) => [
    key(name, codec),
    codec.once(entry, `${codec.scope} ${name}`, () => mapFields(entry, eventFields, codec, { ...entry, key: name })),
  ]);
  return Object.fromEntries(entries);
}

function value(kind: string) {
  return (given: Json, codec: Codec) => codec.value(kind, given);
}

function owner(name: string, codec: Codec): string {
  return codec.name("owner", name);
}

/** The key of a step, sleep or question. */
function key(name: string, codec: Codec): string {
  return codec.name(`key ${codec.scope}`, name);
}

/** The key of the call is one of that task. */
function parent<Link extends { readonly id: string; readonly key: string }>(link: Link, codec: Codec): Link {
  return { ...link, key: codec.name(`key ${link.id}`, link.key) };
}

/** The code decides what a call finds: stores read it. */
function error<Failure extends { readonly message: string }>(failure: Failure, codec: Codec) {
  return { ...failure, message: codec.value("error", failure.message) };
}

/** What a value is bound to is a sealed name, also when it is opened. */
function sealedOwner(codec: Codec, { owner: name = "" }: Holder): string {
  return codec.seals ? owner(name, codec) : name;
}

function keyed(kind: string, codec: Codec, { key: name }: Holder): string {
  return `${kind} ${codec.seals ? key(name ?? "", codec) : name}`;
}
