import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./repository.js";

test("the picture of the terminal client was drawn from the sources as they are: else run npm run picture", () => {
  const script = join(root, "scripts", "pictured-sources.js");
  const stamp = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  expect(/<!-- (.*) -->/.exec(read("docs/images/terminal.svg"))?.[1]).toBe(stamp);
});
