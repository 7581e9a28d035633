const alone = ["list", "tools", "help", "quit"] as const;
const withNumber = ["resume", "pause", "cancel", "delete", "answer", "decline", "show"] as const;

/** What can be done with the task of a number. */
export type NumberedVerb = (typeof withNumber)[number];

/** A command that the user typed. */
export type SpokenCommand =
  | { readonly verb: "resume_all" | (typeof alone)[number] }
  | { readonly verb: NumberedVerb; readonly number: number }
  | { readonly verb: "call"; readonly tool: string; readonly words: readonly string[] }
  | { readonly verb: "unknown"; readonly text: string };

/** What `help` says. */
export const spokenHelp: readonly string[] = [
  "Enter alone lists your tasks; resume all continues those that were interrupted.",
  "list shows your tasks with their numbers.",
  "show, resume, pause, cancel, delete, answer and decline need a number: pause 2.",
  "tools lists the tools; call TOOL key=value calls one.",
  "quit leaves.",
];

/** Understands a line. */
export function parseSpokenCommand(line: string): SpokenCommand {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  if (word === "") return { verb: "list" };
  if (word === "resume" && rest[0] === "all") return { verb: "resume_all" };
  const single = alone.find((verb) => verb === word);
  if (single !== undefined) return { verb: single };
  const verb = withNumber.find((known) => known === word);
  const number = Number(rest[0]);
  if (verb !== undefined && Number.isInteger(number) && number > 0) return { verb, number };
  const [tool, ...words] = rest;
  return word === "call" && tool !== undefined ? { verb: "call", tool, words } : { verb: "unknown", text: line.trim() };
}
