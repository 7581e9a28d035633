// Tools that try to be more than text in the panel that shows them.

import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

const mark = "window.__canary=1";
const foreign = "http://hostile.example";

/** What each text of a tool holds: markup, scripts, addresses, and characters that turn or end a line. */
const hostile = [
  `<script>${mark}</script>`,
  `</script></style></textarea></title><img src=x onerror="${mark}">`,
  `"><svg onload=${mark}>`,
  `<iframe srcdoc="<script>parent.${mark}</script>"></iframe>`,
  `<img src="${foreign}/a"><link rel=stylesheet href="${foreign}/b"><base href="${foreign}/">`,
  `[link](javascript:${mark}) javascript:${mark}`,
  `{{constructor.constructor('${mark}')()}} \${${mark}} <%=${mark}%>`,
  "\u202etxet denrut\u202c \u2066isolated\u2069 \u200eleft\u200f",
  "\u0000\u0007\u001b[31mred\u001b]0;title\u0007\u0085\u2028\u2029",
  "__proto__ constructor toString",
].join(" ");

const hostileSchema = z.object({
  [hostile.slice(0, 150)]: z.string().describe(hostile).default(hostile),
  __proto__x: z.enum([hostile, "plain"]).describe(hostile),
  choice: z.boolean().describe(hostile),
});

const say = defineTool({
  name: "say_hostile",
  title: hostile,
  description: hostile,
  input: z.object({ text: z.string().default(hostile), ask: z.boolean().default(false) }),
  state: {},
  label: ({ text }) => text,
  async *run({ ask, text }, task) {
    await task.step(hostile.slice(0, 190), async () => hostile);
    await task.log("error", hostile);
    await task.log("info", { [hostile]: [hostile, { toString: hostile, __proto__: hostile }] });
    yield { progress: 1, total: 2, message: hostile, append: [hostile, { [hostile]: hostile }, [[hostile]], text] };
    if (ask) await task.ask(`question ${hostile.slice(0, 180)}`, { message: hostile, schema: hostileSchema });
    yield { progress: 2, total: 2, message: hostile };
    return { [hostile]: hostile, html: hostile };
  },
});

const fail = defineTool({
  name: "fail_hostile",
  title: hostile,
  description: hostile,
  input: z.object({}),
  state: {},
  async *run() {
    yield { progress: 1, message: hostile };
    throw new Error(hostile);
  },
});

const megabyte = 1024 * 1024;
const items = 100_000;
const perCheckpoint = 5_000;

const flood = defineTool({
  name: "flood",
  title: "Flood",
  description: "Makes 100,000 items, one of 10 MB, a long log and a result of 10 MB.",
  input: z.object({}),
  state: { at: 0 },
  limits: { maxAppendBytes: 16 * megabyte, maxOutputBytes: 16 * megabyte },
  async *run(_input, task) {
    const long = "<b>x</b>".repeat((10 * megabyte) / 8);
    yield { progress: 0, total: items, state: { at: 0 }, append: [long] };
    for (let at = task.state.at; at < items; at += perCheckpoint) {
      for (let line = 0; line < 50; line++) await task.log("info", `${"y".repeat(1_000)} ${at + line}`);
      const append = Array.from({ length: perCheckpoint }, (_, index) => at + index);
      yield {
        progress: at + perCheckpoint,
        total: items,
        state: { at: at + perCheckpoint },
        append,
        message: "z".repeat(2_000),
      };
    }
    return { long };
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default defineServer({ name: "hostile-tools", version: "1.0.0", tools: [say, fail, flood] });
