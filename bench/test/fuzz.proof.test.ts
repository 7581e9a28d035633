import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const fuzz = fileURLToPath(new URL("../dist/fuzz.js", import.meta.url));
/** It hangs if it takes longer. */
const hangTimeoutMs = 900_000;

/** Runs the fuzzer; what it says is printed as it comes, so that the seed of a run that hangs is known. */
async function run(words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(process.execPath, [fuzz, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString();
    process.stdout.write(bytes);
  });
  const [code] = await once(child, "close");
  return { code, said };
}

test(
  "20,000 right and mutated messages over HTTP and stdio: each is answered as it must be, and nothing is damaged (G10, G11, G12)",
  async () => {
    const { code, said } = await run(["--messages", "20000", "--seed", "109"]);
    expect({ code, last: said.trimEnd().split("\n").at(-1) }, said).toEqual({ code: 0, last: "Nothing was found." });
    expect([...said.matchAll(/: (\d+) messages, 0 findings/g)].map(([, sent]) => Number(sent))).toEqual([
      9_000, 6_000, 2_500, 2_500,
    ]);
  },
  hangTimeoutMs,
);
