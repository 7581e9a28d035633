import { z } from "zod";

const recordCount = z.object({
  expected: z.number(),
  processed: z.number(),
  repeated: z.number(),
  lost: z.number(),
});

/** What the story's client writes to its standard output: one JSON object a line. */
export const clientLine = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("found"), taskId: z.string(), percent: z.number() }),
  z.object({ kind: z.literal("started"), taskId: z.string() }),
  z.object({ kind: z.literal("progress"), progress: z.number(), total: z.number(), message: z.string() }),
  z.object({ kind: z.literal("log"), text: z.string() }),
  z.object({ kind: z.literal("disconnected"), reason: z.string() }),
  z.object({ kind: z.literal("connected") }),
  z.object({
    kind: z.literal("finished"),
    count: recordCount,
    /** Of the items, computed by the client. */
    digest: z.string(),
    /** What the tool itself returned. */
    reportedDigest: z.string(),
  }),
]);

export type ClientLine = z.output<typeof clientLine>;
