import type { ClientLine } from "./job.js";

const barWidth = 20;

/** Tells the story line by line. */
export interface Narrator {
  chapter(title: string): void;
  /** What one of the characters does: the server, the client, or the signal that kills them. */
  line(who: "server" | "client" | "kill -9", what: string): void;
  client(line: ClientLine): void;
  last(text: string): void;
}

/** Makes a narrator of plain text, which can be read in a log as well as in a terminal. */
export function createNarrator(write: (text: string) => void): Narrator {
  let chapters = 0;
  let disconnected = false;
  const line: Narrator["line"] = (who, what) => write(`   ${who.padEnd(7)}  ${what}\n`);
  return {
    chapter(title) {
      chapters += 1;
      write(`\n${chapters}. ${title}\n`);
    },
    line,
    client(event) {
      const text = event.kind === "disconnected" && disconnected ? undefined : textOf(event);
      if (event.kind === "disconnected") disconnected = true;
      if (event.kind === "connected") disconnected = false;
      if (text !== undefined) line("client", text);
    },
    last: (text) => write(`\n${text}\n`),
  };
}

function textOf(line: ClientLine): string | undefined {
  switch (line.kind) {
    case "found":
      return `found 1 unfinished task at ${line.percent} %, and follows it`;
    case "started":
      return `started task ${line.taskId}`;
    case "progress":
      return `${bar(line.progress / line.total)}  ${line.message}`;
    case "log":
      return `log: ${line.text}`;
    case "disconnected":
      return "lost the server, and tries again";
    case "connected":
      return "has the server back";
    case "finished":
      return undefined;
  }
}

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}
