import { readFileSync } from "node:fs";
import type { Checker, CheckResult } from "@stryker-mutator/api/check";
import { CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant as StrykerMutant } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { fromStryker, keyOf } from "./mutant.js";

/** What the checker reads, in a file that the environment variable `MUTANTS_DRAWN` names. */
export interface Drawn {
  /** The folder `packages` of the checkout, with a slash at its end. */
  readonly packages: string;
  /** Keys of the mutants that are judged. */
  readonly keys: readonly string[];
}

/** Lets Stryker run the drawn mutants alone: it knows ranges of lines, and a range holds all mutants within. */
class DrawnOnly implements Checker {
  #drawn: Drawn = { packages: "", keys: [] };

  async init(): Promise<void> {
    this.#drawn = JSON.parse(readFileSync(process.env.MUTANTS_DRAWN ?? "", "utf8"));
  }

  async check(mutants: readonly StrykerMutant[]): Promise<Record<string, CheckResult>> {
    const { packages, keys } = this.#drawn;
    const resultOf = (mutant: StrykerMutant): CheckResult =>
      keys.includes(keyOf(fromStryker(mutant.fileName.slice(packages.length), mutant)))
        ? { status: CheckStatus.Passed }
        : { status: CheckStatus.CompileError, reason: "not drawn" };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, resultOf(mutant)]));
  }

  async group(mutants: readonly StrykerMutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }
}

/** Read by Stryker. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, "drawn-only", DrawnOnly)];
