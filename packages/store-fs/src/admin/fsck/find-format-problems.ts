import { lookAtFormat, lostFormat, writeFormat } from "../../index/format-file.js";
import type { OpenStore } from "../../open-store.js";
import type { Problem } from "./problem.js";

/** A lost `format.json`, where the journals tell the layout. */
export function findFormatProblems({ context }: OpenStore): readonly Problem[] {
  const format = lookAtFormat(context);
  if (format.kind !== "lost") return [];
  return [
    {
      kind: "damaged_format",
      severity: "damage",
      path: context.layout.format,
      message: `${lostFormat(format.was)} The journals tell the layout`,
      remedy: {
        says: "write it anew, and keep what was there in quarantine/format.json",
        // Opening the store to repair it has done so already.
        apply: async ({ context }) => writeFormat(context, lookAtFormat(context)),
      },
    },
  ];
}
