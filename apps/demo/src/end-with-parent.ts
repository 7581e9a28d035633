/**
 * Loaded in front of a program (`node --import`) whose standard input is a pipe to the process that started it: when
 * that process dies, in whatever way, the pipe ends and the program is asked to stop. No server outlives the demo.
 */
process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
process.stdin.resume();
// A program that has nothing left to do ends by itself.
process.stdin.unref();
