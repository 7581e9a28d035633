import type { CrashChoices, DataLoss } from "@resumable-mcp/store-fs/testing";
import type { Random } from "../storm/random.js";

/** A way in which power is lost, and what it takes. */
export interface PowerLoss {
  readonly name: string;
  readonly choices: CrashChoices;
}

/** Draws what becomes of everything that was not synced. */
export function drawLoss(random: Random): PowerLoss {
  const name = random.pick(lossNames);
  return { name, choices: losses[name](random) };
}

const losses = {
  "all that was not synced": () => ({ keepsName: () => false, dataLoss: () => "dropped" as const }),
  nothing: () => ({ keepsName: () => true, dataLoss: () => "kept" as const }),
  "data, not names": () => ({ keepsName: () => true, dataLoss: () => "dropped" as const }),
  "data, which became zeros": () => ({ keepsName: () => true, dataLoss: () => "zeroed" as const }),
  "names, not data": () => ({ keepsName: () => false, dataLoss: () => "kept" as const }),
  "some names": (random: Random) => ({ keepsName: () => isHeads(random), dataLoss: () => "kept" as const }),
  "some data": (random: Random) => ({ keepsName: () => true, dataLoss: () => drawDataLoss(random) }),
  "some of both": (random: Random) => ({ keepsName: () => isHeads(random), dataLoss: () => drawDataLoss(random) }),
  "a little": (random: Random) => ({
    keepsName: () => random.between(1, 8) > 1,
    dataLoss: () => (random.between(1, 8) > 1 ? ("kept" as const) : drawDataLoss(random)),
  }),
  "nearly all": (random: Random) => ({
    keepsName: () => random.between(1, 8) === 1,
    dataLoss: () => (random.between(1, 8) === 1 ? drawDataLoss(random) : ("dropped" as const)),
  }),
} satisfies { readonly [name: string]: (random: Random) => CrashChoices };

type LossName = keyof typeof losses;
const lossNames = Object.keys(losses) as [LossName, ...LossName[]];

function isHeads(random: Random): boolean {
  return random.next() < 0.5;
}

function drawDataLoss(random: Random): DataLoss {
  const cutAt = random.next();
  return random.pick<DataLoss>(["kept", "dropped", "zeroed", { cutAt }, { tornBy: () => isHeads(random) }]);
}
