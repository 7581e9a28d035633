import { measures, postgresMeasures } from "../measures/all-measures.js";
import { wrapMeasures } from "../measures/wrap.js";
import { runMeasure } from "../report/measure.js";

const measure = [...measures, ...postgresMeasures, ...wrapMeasures].find(({ id }) => id === process.argv[2]);
if (measure === undefined) throw new Error(`There is no measure ${process.argv[2]}.`);
const outcome = await runMeasure(measure);
process.send?.(outcome, () => process.exit(0));
