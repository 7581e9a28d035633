import { resultsOf } from "./program/jobs.js";
import { type Options, readOptions, usage } from "./program/options.js";
import { Totals } from "./program/totals.js";
import { Coverage } from "./run/coverage.js";

async function main(options: Options): Promise<void> {
  const totals = new Totals();
  const coverage = new Coverage();
  const { stdout } = process;
  if (options.fresh.length > 0) stdout.write(`fresh seeds: ${options.fresh.join(" ")}\n`);
  for await (const result of resultsOf(options)) {
    const { seed, violation, text } = result;
    totals.add(result);
    coverage.merge(result.counts);
    if (stdout.isTTY) stdout.write(clearLine);
    if (options.untilFound && violation !== undefined) {
      const [seconds, hours] = [(violation.atMs / 1_000).toFixed(1), (totals.virtualMs / 3_600_000).toFixed(2)];
      stdout.write(
        `found by seed ${seed} at ${seconds} virtual seconds, after ${hours} virtual hours: ${violation.rule}: ${violation.text}\n`,
      );
      break;
    }
    stdout.write(text);
    if (stdout.isTTY) stdout.write(`${totals}`.slice(0, stdout.columns - 1));
    else if (totals.runs % 100 === 0) stdout.write(`${totals}\n`);
  }
  if (stdout.isTTY) stdout.write(clearLine);
  if (options.isSummarised) stdout.write(`${coverage}\n`);
  stdout.write(totals.summary());
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

/** Removes the line that a terminal shows while seeds run. */
const clearLine = "\r\u001b[K";

try {
  await main(readOptions());
} catch (error) {
  if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
