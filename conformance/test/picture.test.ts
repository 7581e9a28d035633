import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "../src/repository.js";

test("the picture of the terminal client was drawn from the sources as they are: else run npm run picture", () => {
  const script = join(root, "scripts", "pictured-sources.js");
  const stamp = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  expect(/<!-- (.*) -->/.exec(read("docs/images/terminal.svg"))?.[1]).toBe(stamp);
});

test("the picture shows one frame where style sheets or animations are not run", () => {
  const picture = read("docs/images/terminal.svg");
  const frames = [...picture.matchAll(/^<g class="f" id="(f\d+)"( visibility="hidden")?>(.*)<\/g>$/gm)];
  expect(frames.length).toBeGreaterThan(10);
  const shown = frames.filter(([, , hidden]) => hidden === undefined);
  expect(shown).toHaveLength(1);
  expect(shown[0]?.[3]?.match(/<use /g)?.length).toBeGreaterThan(3);
  const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(picture) ?? [];
  expect(style.replaceAll(/@keyframes k\d+\{(?:[^{}]*\{[^{}]*\})*\}/g, "")).not.toContain("visibility");
});
