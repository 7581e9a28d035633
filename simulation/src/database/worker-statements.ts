import { type Standing, stoodStill } from "./standing.js";
import { type Backend, hex, type Statement, statement } from "./statement.js";
import type { DocumentRow, Tables } from "./tables.js";

function beats(tables: Tables): readonly { readonly worker: string; readonly beat: number }[] {
  return tables.worker.entries().map(([worker, row]) => ({ worker, beat: row.beat }));
}

const beat = statement<[worker: string, beat: number, offers: string | null, locks: boolean]>(
  ({ tables }, [worker, next, offers, locks]) => {
    // It gives the rows as they were before.
    const before = beats(tables);
    tables.worker.set(worker, { beat: next, offers: offers ?? tables.worker.get(worker)?.offers ?? null, locks });
    return before;
  },
);

const forget = statement<[...Standing, forMs: number]>(({ tables }, [workers, seen, stoodMs, forMs]) => {
  for (const { worker, beat: now } of beats(tables)) {
    if (stoodStill([workers, seen, stoodMs], { worker, beat: now, forMs })) tables.worker.delete(worker);
  }
  return [];
});

const offers = statement<[worker: string]>(({ tables }, [own]) =>
  tables.worker
    .entries()
    .filter(([worker, row]) => row.offers !== null && worker !== own)
    .map(([worker, row]) => ({ worker, ...row })),
);

const leave = statement<[workers: readonly string[]]>(({ tables }, [workers]) => {
  for (const worker of workers) tables.worker.delete(worker);
  return [];
});

function isLocked({ sessions }: Backend, instance: string): boolean {
  return [...sessions].some(({ locks }) => locks.has(instance));
}

/** A worker's name ends with that of its store, whose lock it is. */
const look = statement<[schema: string]>((backend) =>
  beats(backend.tables).map((each) => ({
    ...each,
    locks: backend.tables.worker.get(each.worker)?.locks === true,
    held: isLocked(backend, each.worker.slice(each.worker.lastIndexOf(".") + 1)),
  })),
);

const lock = statement<[schema: string, instance: string]>((backend, [, instance]) => {
  const isFree = backend.session.locks.has(instance) || !isLocked(backend, instance);
  if (isFree) backend.session.locks.add(instance);
  return [{ pg_try_advisory_lock: isFree }];
});

const notify = statement<[channel: string, payloads: readonly string[]]>(({ sessions }, [channel, payloads]) => {
  for (const session of sessions) {
    if (session.channels.has(channel)) for (const payload of payloads) session.notify(channel, payload);
  }
  return payloads.map(() => ({ pg_notify: "" }));
});

/** The key of a document. */
function keyOf(kind: string, id: Uint8Array): string {
  return `${kind}/${hex(id)}`;
}

const document = statement<[kind: string, id: Uint8Array]>(({ tables }, [kind, id]) => {
  const row = tables.document.get(keyOf(kind, id));
  return row === undefined ? [] : [row];
});

const documentPut = statement<
  [
    ...[kind: string, id: Uint8Array, name: string, owner: string, value: string, version: number, updatedMs: number],
    ...[group: Uint8Array | null, max: number | null],
  ]
>(({ tables }, [kind, id, name, owner, value, version, updated_ms, group, max]) => {
  const key = keyOf(kind, id);
  const before = tables.document.get(key);
  if ((before?.version ?? 0) !== version) return [];
  const counted_as = before === undefined ? hex(group) : before.counted_as;
  const others = tables.document.values().filter((each) => before === undefined && each.counted_as === counted_as);
  if (before === undefined && counted_as !== null && others.length >= (max ?? 0)) return [];
  const kept = { name: before?.name ?? name, counted_as };
  // The server's steps are random; these differ from one history to another as well.
  const next = version + 1 + (updated_ms % 1_000);
  const row: DocumentRow = { kind, ...kept, owner, value, version: next, updated_ms };
  tables.document.set(key, row);
  return [row];
});

const documentDelete = statement<[kind: string, id: Uint8Array]>(({ tables }, [kind, id]) => {
  tables.document.delete(keyOf(kind, id));
  return [];
});

const documentIdle = statement<[kind: string, sinceMs: number, limit: number]>(({ tables }, [kind, sinceMs, limit]) =>
  oldest(tables, limit, (row) => row.kind === kind && row.updated_ms < sinceMs),
);

const documentIdleOfGroup = statement<[group: Uint8Array, sinceMs: number, limit: number]>(
  ({ tables }, [group, sinceMs, limit]) =>
    oldest(tables, limit, (row) => row.counted_as === hex(group) && row.updated_ms < sinceMs),
);

/** Those documents that were put first. */
function oldest(
  tables: Parameters<Parameters<typeof statement>[0]>[0]["tables"],
  limit: number,
  isMeant: (row: DocumentRow) => boolean,
): DocumentRow[] {
  return tables.document
    .entries()
    .filter(([, row]) => isMeant(row))
    .toSorted(([oneKey, one], [otherKey, other]) => one.updated_ms - other.updated_ms || (oneKey < otherKey ? -1 : 1))
    .slice(0, limit)
    .map(([, row]) => row);
}

/** A server of a supported version, whose schema is there. */
const facts = statement(() => [
  {
    ...{ version: 16, fsync: "on", synchronous_commit: "on", full_page_writes: "on" },
    ...{ has_schema: true, has_layout: true },
  },
]);
const layout = statement(() => [{ layout: 1, oldest_writer: 1 }]);
const health = statement(() => [{ layout: 1, oldest_writer: 1, read_only: "off" }]);

/** Statements about workers, documents and the server, by the names under which the store prepares them. */
export const workerStatements: { readonly [name: string]: Statement } = {
  beat,
  forget,
  offers,
  leave,
  look,
  lock,
  notify,
  document,
  document_put: documentPut,
  document_delete: documentDelete,
  document_idle: documentIdle,
  document_idle_of_group: documentIdleOfGroup,
  facts,
  layout,
  health,
};
