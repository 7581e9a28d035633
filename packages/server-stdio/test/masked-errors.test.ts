import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { connectHost, testFolder } from "./stdio-host.js";

const module = fileURLToPath(new URL("./failing-tools-module.js", import.meta.url));

test.each([
  [[], true],
  [["--mask-errors"], false],
])(
  "a host with the flags %j sees what a tool throws: %j (F10)",
  async (flags, isShown) => {
    const { client, output } = await connectHost([module, "--store", await testFolder(), "--no-supervise", ...flags]);
    const seen = JSON.stringify(await client.callTool({ name: "fails", arguments: {} }));
    expect(seen.includes("/secret/path")).toBe(isShown);
    const [, id = "not shown"] = /The server's log says why, under (\w+)\./.exec(seen) ?? [];
    const line = `Error ${id}: Error: cannot open /secret/path at `;
    await expect.poll(() => output.stderr.includes(line)).toBe(!isShown);
    expect(output.stderr.includes("/secret/path")).toBe(!isShown);
  },
  30_000,
);
