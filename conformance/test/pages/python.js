// Runs a Python program as `python3 FILE [ARGUMENT…]` does, where the machine has no Python: in WebAssembly, with the machine's files.
import { readFileSync, readSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { loadPyodide } from "pyodide";

const [program = "", ...args] = process.argv.slice(2);
const python = await loadPyodide({ args: [program, ...args] });
python.setStdin({ read: (buffer) => readSync(0, buffer) });
python.setStdout({ write: (buffer) => writeSync(1, buffer) });
python.setStderr({ write: (buffer) => writeSync(2, buffer) });
const root = "/files";
python.mountNodeFS(root, resolve("/"));
python.FS.chdir(`${root}${process.cwd()}`);
python.runPython(readFileSync(program, "utf8"));
