/** A command that the user typed. */
export type SpokenCommand =
  | { readonly verb: "resume_all" | "list" | "tools" | "help" | "quit" }
  | { readonly verb: "resume" | "pause" | "cancel" | "forget" | "answer" | "decline" | "show"; readonly number: number }
  | { readonly verb: "call"; readonly tool: string; readonly words: readonly string[] }
  | { readonly verb: "unknown"; readonly text: string };

/** What `help` says. */
export const spokenHelp: readonly string[] = [
  "Enter alone resumes all that is not finished.",
  "list says your tasks with their numbers.",
  "show, resume, pause, cancel, forget, answer and decline want a number: pause 2.",
  "tools says what can be called; call TOOL key=value calls it.",
  "quit leaves.",
];

const alone = ["list", "tools", "help", "quit"] as const;
const withNumber = ["resume", "pause", "cancel", "forget", "answer", "decline", "show"] as const;

/** Understands a line. */
export function parseSpokenCommand(line: string): SpokenCommand {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  if (word === "") return { verb: "resume_all" };
  const single = alone.find((verb) => verb === word);
  if (single !== undefined) return { verb: single };
  const numbered = withNumber.find((verb) => verb === word);
  const number = Number(rest[0]);
  if (numbered !== undefined && Number.isInteger(number) && number > 0) return { verb: numbered, number };
  const [tool, ...words] = rest;
  return word === "call" && tool !== undefined ? { verb: "call", tool, words } : { verb: "unknown", text: line.trim() };
}
