import type { TaskRecord } from "@resumable-mcp/core";
import type { Remembered, Signal, TaskEvent } from "@resumable-mcp/core/store";
import { expectTypeOf, test } from "vitest";
import type { eventFields, taskFields } from "../src/values/fields.js";

type FieldsOf<Holders> = Holders extends unknown ? keyof Holders : never;
type Readable<Holders, Sealed> = Exclude<FieldsOf<Holders>, keyof Sealed>;

test("a new field of a task does not compile before it is decided whether it stays readable", () => {
  expectTypeOf<Readable<TaskRecord, typeof taskFields>>().toEqualTypeOf<
    | "id"
    | "tool"
    | "toolVersion"
    | "detached"
    | "ttlMs"
    | "trace"
    | "offeredVersions"
    | "ownerQuotas"
    | "status"
    | "desiredState"
    | "generation"
    | "attempt"
    | "live"
    | "progressed"
    | "crashes"
    | "crashedIn"
    | "worker"
    | "deathsInWaits"
    | "failures"
    | "runnableAt"
    | "progress"
    | "total"
    | "stateVersion"
    | "stateShape"
    | "itemCount"
    | "itemBytes"
    | "itemsFromSeq"
    | "createdAt"
    | "updatedAt"
    | "startedAt"
    | "finishedAt"
    | "lastSeq"
  >();
});

test("nor does a new field of an event", () => {
  expectTypeOf<Readable<TaskEvent | Signal | Remembered, typeof eventFields>>().toEqualTypeOf<
    | "type"
    | "seq"
    | "at"
    | "attempt"
    | "worker"
    | "toolVersion"
    | "stateShape"
    | "runnableAt"
    | "progress"
    | "total"
    | "itemBytes"
    | "itemsFromSeq"
    | "failed"
    | "done"
    | "artifact"
    | "bytes"
    | "until"
    | "level"
    | "desiredState"
    | "cause"
    | "by"
    | "generation"
    | "fromState"
    | "id"
    | "kind"
    | "ms"
    | "child"
    | "tool"
    | "calledAt"
    | "continues"
  >();
});
