/**
 * Parses the arguments of a program. `--help` prints its usage and ends the program; so does a wrong argument, with exit
 * code 2.
 *
 * @param parse calls `parseArgs`.
 */
export function readArguments<Parsed>(usage: string, parse: () => Parsed): Parsed {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError && "code" in error)) throw error;
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
