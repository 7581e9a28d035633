import { fileURLToPath } from "node:url";
import { runFuzz, targetNames } from "./fuzz/run-fuzz.js";
import { count, flag, readOptions, seed, text, texts } from "./options.js";
import { temporaryFolder } from "./stores/stored-tasks.js";
import { built } from "./workers/run-isolated.js";

const purpose = "Sends right and mutated messages to the servers, and judges what they answer.";
const options = readOptions("npm run fuzz --", purpose, {
  messages: count("messages", 20_000),
  seed,
  http: flag("only over HTTP"),
  stdio: flag("only over stdio"),
  over: texts("TARGET", `only to one of ${targetNames.join(", ")}; may be repeated`),
  only: text("N,N", "only these messages of the seed"),
  tools: text("MODULE", "the tools module that is served (default: one of the fuzzer)"),
});

const unknown = options.over.find((word) => !targetNames.some((name) => name === word));
if (unknown !== undefined) {
  console.error(`There is no target "${unknown}". There are: ${targetNames.join(", ")}.`);
  process.exit(2);
}
if (options.only !== undefined && !/^\d{1,15}(,\d{1,15})*$/.test(options.only)) {
  console.error(`--only takes whole numbers with commas between them, not "${options.only}".`);
  process.exit(2);
}
const isChosen = (name: string): boolean => {
  if (options.over.length > 0) return options.over.includes(name);
  return options.http === options.stdio || name.startsWith(options.http ? "http" : "stdio");
};

const { directory, remove } = await temporaryFolder();
console.log(`seed ${options.seed}, ${options.messages} messages`);
let isClean = false;
try {
  isClean = await runFuzz({
    seed: options.seed,
    messages: options.messages,
    directory,
    toolsModule: options.tools ?? fileURLToPath(built("fuzz/fuzz-tools-module.js")),
    ...(options.only === undefined ? {} : { only: options.only.split(",").map(Number) }),
    names: targetNames.filter(isChosen),
    more: options.tools === undefined ? [] : [`--tools ${options.tools}`],
    say: (line) => console.log(line),
  });
} finally {
  await remove();
}
console.log(isClean ? "Nothing was found." : `Repeat it with --seed ${options.seed}.`);
process.exitCode = isClean ? 0 : 1;
