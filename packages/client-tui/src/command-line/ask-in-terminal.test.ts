import { PassThrough } from "node:stream";
import type { TaskQuestion } from "@resumable-mcp/protocol";
import { describe, expect, it, vi } from "vitest";
import { screenOf } from "../../test/screen-of.js";
import { askInTerminal } from "./ask-in-terminal.js";
import { createOutput } from "./output.js";

const question: TaskQuestion = {
  key: "confirm",
  message: "Really?",
  userOnly: false,
  schema: {
    type: "object",
    properties: { polite: { type: "boolean" }, note: { type: "string" }, size: { enum: ["S", "M"], default: "M" } },
    required: ["polite"],
  },
};

/** A terminal of 80 columns: what is typed on it, and what it shows. */
function terminal() {
  vi.stubEnv("TERM", "xterm-256color");
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 10 });
  let written = "";
  screen.on("data", (chunk) => {
    // As the terminal driver does.
    written += String(chunk).replaceAll(/\r?\n/g, "\r\n");
  });
  const output = createOutput(screen, screen, false);
  const place = { input, output: screen, keepPrompt: output.keepPrompt };
  const shows = async (text: string) => {
    const lines = () => screenOf(written, 80, 10);
    await expect.poll(async () => (await lines()).join("\n")).toContain(text);
    return lines();
  };
  return { input, output, place, shows };
}

describe("a question on a terminal", () => {
  it("says of each field what Enter and - do", async () => {
    const { input, place, shows } = terminal();
    const answer = askInTerminal(question, new AbortController().signal, place);
    await shows("polite (y/n), - declines the question:");
    input.write("y\r");
    await shows("note (optional: Enter leaves it out), - declines the question");
    input.write("\r");
    await shows("size (S/M) [M], - declines the question:");
    input.write("\r");
    expect(await answer).toEqual({ action: "accept", content: { polite: true, size: "M" } });
  });

  it("asks again for a value that the question's schema refuses", async () => {
    const { input, place, shows } = terminal();
    const properties = { reason: { type: "string", minLength: 1 } };
    const strict = { ...question, schema: { type: "object" as const, properties, required: ["reason"] } };
    const answer = askInTerminal(strict, new AbortController().signal, place);
    await shows("reason, - declines the question:");
    input.write("\r");
    await shows("Type it again.");
    input.write("late\r");
    expect(await answer).toEqual({ action: "accept", content: { reason: "late" } });
  });

  it("is there again, with what was typed, after the connection was lost and restored", async () => {
    const { input, output, place, shows } = terminal();
    const answer = askInTerminal(question, new AbortController().signal, place);
    await shows("polite (y/n)");
    input.write("ye");
    await shows("question: ye");
    output.progress("count: connection lost; next attempt in 2s");
    output.note("connected again");
    expect(await shows("connected again")).toEqual(["connected again", "polite (y/n), - declines the question: ye"]);
    input.write("s\r");
    await shows("note (optional");
    input.write("-\r");
    expect(await answer).toEqual({ action: "decline" });
  });
});
