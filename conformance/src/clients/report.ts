import type { Outcome, Row } from "./row.js";

interface Table {
  readonly title: string;
  readonly text: string;
  /** What names a line. The rows of one name share a line, with a cell for each transport. */
  readonly name: readonly ("Client" | "Clients" | "How")[];
  readonly cell: (outcome: Outcome) => string;
  readonly showsProgress?: true;
}

/** The tables, in the order of the document. */
const tablesByName: Readonly<Record<Row["table"], Table>> = {
  calls: {
    title: "A call in flight",
    text: `\`count_to\` counts to 30 and appends each number as an item. The server is killed after the tenth. The cells say what brings the
result.`,
    name: ["Client"],
    cell: verdict,
    showsProgress: true,
  },
  questions: {
    title: "An open question",
    text: "`ask_name` asks its user for a name. The server is killed while the question is open. The cells say how often the user is asked.",
    name: ["Client", "How"],
    cell: (outcome) => (outcome.problems.length > 0 ? verdict(outcome) : timesInWords(outcome.asked)),
  },
  eras: {
    title: "From one era to the other",
    text: "One client begins a task, the server is killed, and another client of the same owner finds the task, reads it and finishes it.",
    name: ["Clients", "How"],
    cell: (outcome) => (outcome.problems.length > 0 ? verdict(outcome) : "yes"),
  },
};

/** Writes the whole document. */
export function report(outcomes: readonly Outcome[]): string {
  return `${introduction}\n\n${tables(outcomes)}\n`;
}

const introduction = `# Which clients work

Unmodified MCP clients, each against a server that gets SIGKILL in the middle, over HTTP and over stdio: [why they differ](protocol.md). See also the
[hosts](hosts.md), the [agent frameworks](frameworks.md), and [the client for a program of your own](../packages/client/README.md).

In every cell the result is right, the call became one task, every item is in its journal once and in order, and progress has neither gap nor
repeat: \`npm run proof -- clients\` writes this page only then. "legacy" is the 2025 era; "auto" takes the newest era that the server knows.`;

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

function section(table: Table, outcomes: readonly Outcome[]): string {
  const notes = [...new Set(outcomes.flatMap(({ note }) => note ?? []))];
  const head = [...table.name, "HTTP", "stdio", ...(table.showsProgress ? ["Until the result, its user sees"] : [])];
  const lines = [
    `## ${table.title}`,
    "",
    table.text,
    "",
    line(head),
    `|${head.map(() => "---|").join("")}`,
    ...merged(groups(table, outcomes).map((group) => cellsOf(table, group, notes))).map(line),
    ...notes.flatMap((note, index) => ["", `${mark(index)} ${note.charAt(0).toUpperCase()}${note.slice(1)}.`]),
  ];
  return lines.join("\n");
}

/** Clients of which the same is said share a line. */
function merged(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const clients = new Map<string, string[]>();
  for (const [client = "", ...rest] of lines) {
    const key = rest.join("\n");
    clients.set(key, [...(clients.get(key) ?? []), client]);
  }
  return [...clients].map(([key, names]) => [names.join("<br>"), ...key.split("\n")]);
}

/** The outcomes of each line. */
function groups({ name }: Table, outcomes: readonly Outcome[]): readonly (readonly Outcome[])[] {
  const byName = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = nameOf(name, outcome).join("\n");
    byName.set(key, [...(byName.get(key) ?? []), outcome]);
  }
  return [...byName.values()];
}

const nameOf = (name: Table["name"], { row }: Outcome) => name.map((part) => row.head[part === "How" ? 2 : 0]);

function cellsOf(table: Table, group: readonly Outcome[], notes: readonly string[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const over = (transport: string) =>
    group
      .filter(({ row }) => row.head[1] === transport)
      .map((one) => `${table.cell(one)}${one.note === undefined ? "" : ` ${mark(notes.indexOf(one.note))}`}`);
  const seen = new Set(group.flatMap(({ saw }) => kindsSeen(saw)));
  return [
    ...nameOf(table.name, first),
    over("HTTP").join("; or "),
    over("stdio").join("; or "),
    ...(table.showsProgress ? [[...seen].join(", ") || "nothing"] : []),
  ];
}

/** Whether a user saw progress, statuses, or nothing. */
function kindsSeen(saw: string): readonly string[] {
  return [...saw.matchAll(/(?:^|; )(progress|status)\b/g)].map(([, kind = ""]) => kind);
}

function mark(index: number): string {
  return `[${index + 1}]`;
}

function timesInWords(asked: number | undefined): string {
  return asked === 1 ? "once" : `${asked ?? 0} times`;
}

/** Says whether a call ended right, and what it took. */
export function verdict({ problems, after }: Outcome): string {
  if (problems.length > 0) return `**no**: ${problems.join("; ")}`;
  return after ?? "the call";
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
}
