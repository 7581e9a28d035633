import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

/** Works off 15 of 50 records in batches of 5, and goes no further. */
const stopsAt15 = defineTool({
  name: "stops_at_15",
  description: "Works off 15 of 50 records.",
  input: z.object({}),
  async *run(_, task) {
    for (const progress of [5, 10, 15]) yield { progress, total: 50, message: `Processed ${progress}/50 records` };
    await new Promise((_resolve, reject) => {
      task.signal.addEventListener("abort", () => reject(task.signal.reason), { once: true });
    });
    return {};
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [stopsAt15];
