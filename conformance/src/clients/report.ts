import type { Outcome, Row } from "./row.js";

interface Table {
  readonly title: string;
  readonly text: string;
  readonly columns: readonly (keyof typeof cells)[];
}

/** The tables, in the order of the document. */
const tablesByName: Readonly<Record<Row["table"], Table>> = {
  calls: {
    title: "A call in flight",
    text: "`count_to` counts to 30 and appends each number as an item. The server is killed after the tenth.",
    columns: ["Client", "Over", "How", "Ends right", "Its user saw", "Items", "Attempts"],
  },
  questions: {
    title: "An open question",
    text: "`ask_name` asks its user for a name. The server is killed while the question is open.",
    columns: ["Client", "Over", "How", "Ends right", "Asked", "Its user saw", "Attempts"],
  },
  eras: {
    title: "From one era to the other",
    text: "One client begins a task, the server is killed, and another client of the same owner finds the task, reads it and finishes it.",
    columns: ["Clients", "Over", "How", "Ends right", "Its user saw", "Attempts"],
  },
};

/** Writes the whole document. */
export function report(outcomes: readonly Outcome[]): string {
  return `${introduction}\n\n${tables(outcomes)}\n`;
}

const introduction = `# Clients that we did not write

Made by \`npm run clients\`, which runs every row and writes this file when every row has the expected outcome.
[protocol.md](protocol.md) explains what each kind of client gets, and why.

One server over HTTP (\`resumable-mcp-http\` with a bearer token for all clients), and \`resumable-mcp-stdio\` over stdio. In
every row the process that runs the task gets SIGKILL in the middle. The next one on the same store begins, over HTTP at the
same port as soon as the script lets it (it has loaded its code before, so that a busy machine does not decide the row),
over stdio when the supervisor starts it. The clients are unmodified and know nothing of it; the Inspector and Genkit come from the
registry. The rows are judged by the journals in the store, and not by what client or server say: the call became one task,
every item is there once and in order, more than one process ran it, and the result is right.

"Its user saw" is what the client passed on: the progress of each request (a request that comes to a task under way
begins where the task is), statuses, and errors.`;

/** Writes the outcomes as the tables of a document. */
export function tables(outcomes: readonly Outcome[]): string {
  return Object.entries(tablesByName)
    .map(([name, table]) =>
      section(
        table,
        outcomes.filter(({ row }) => row.table === name),
      ),
    )
    .join("\n\n");
}

function section({ title, text, columns: head }: Table, outcomes: readonly Outcome[]): string {
  const notes = [...new Set(outcomes.flatMap(({ note }) => note ?? []))];
  const lines = [
    `## ${title}`,
    "",
    text,
    "",
    line(head),
    `|${head.map(() => "---|").join("")}`,
    ...outcomes.map((outcome) => line(head.map((column) => cells[column](outcome, notes)))),
    ...notes.flatMap((note, index) => ["", `${mark(index)} ${note.charAt(0).toUpperCase()}${note.slice(1)}.`]),
  ];
  return lines.join("\n");
}

function mark(index: number): string {
  return `[${index + 1}]`;
}

const cells = {
  Client: ({ row }: Outcome) => row.head[0],
  Clients: ({ row }: Outcome) => row.head[0],
  Over: ({ row }: Outcome) => row.head[1],
  How: ({ row }: Outcome) => row.head[2],
  "Ends right": (outcome: Outcome, notes: readonly string[]) =>
    [verdict(outcome), ...(outcome.note === undefined ? [] : [mark(notes.indexOf(outcome.note))])].join(" "),
  "Its user saw": ({ saw }: Outcome) => saw,
  Asked: ({ asked }: Outcome) => (asked === undefined ? "" : asked === 1 ? "once" : `${asked} times`),
  Items: ({ facts }: Outcome) => itemsInWords(facts.items),
  Attempts: ({ facts }: Outcome) => `${facts.attempts} in ${facts.processes} processes`,
};

/** Says whether a call ended right, and what it took. */
export function verdict({ problems, after }: Outcome): string {
  if (problems.length > 0) return `**no**: ${problems.join("; ")}`;
  return after === undefined ? "yes" : `not by itself; yes after ${after}`;
}

function itemsInWords(items: readonly number[]): string {
  const repeated = items.length - new Set(items).size;
  const missing = Math.max(0, ...items) - new Set(items).size;
  return `${items.length}, ${repeated} repeated, ${missing} lost`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
}
