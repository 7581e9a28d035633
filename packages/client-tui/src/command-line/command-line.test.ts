import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { fakeClient } from "../../test/fake-client.js";
import { type Interrupt, listenForInterrupts } from "./command.js";
import { commandNames, commandTable, commonOptions, type OptionEntry, optionTable } from "./command-table.js";
import { serversCommand } from "./commands/servers-command.js";
import { exitCodeOfResult, UsageError } from "./exit-code.js";
import { createOutput } from "./output.js";
import { commandWords, parseCommandLine } from "./parse-command-line.js";
import { checkArguments, exampleWords, ofQuestion, parseToolArguments } from "./tool-arguments.js";

const usage = (run: () => unknown) => {
  try {
    run();
    return "no error";
  } catch (error) {
    return error instanceof UsageError ? error.message : `not a usage error: ${String(error)}`;
  }
};

describe("a command line", () => {
  it("names servers of both kinds, with a token for those over HTTP", () => {
    const { servers } = parseCommandLine(["tasks", "--url", "http://a/mcp", "--stdio", 'node "my server.js"'], {
      RESUMABLE_MCP_TOKEN: "t",
    });
    expect(servers).toEqual([
      { url: "http://a/mcp", token: "t" },
      { command: "node", args: ["my server.js"] },
    ]);
  });

  it("reads a token from a file, so that no other user of the machine sees it (F15)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "token-file-"));
    try {
      const [file, other] = [join(folder, "token"), join(folder, "other")];
      await writeFile(file, "from-a-file\r\na comment\r\n", { mode: 0o600 });
      await writeFile(other, "two words\n");
      const serversOf = (path: string) =>
        parseCommandLine(["tasks", "--url", "http://a/mcp", "--token-file", path], { RESUMABLE_MCP_TOKEN: "t" })
          .servers;
      expect(serversOf(file)).toEqual([{ url: "http://a/mcp", token: "from-a-file" }]);
      expect(usage(() => serversOf(other))).toContain("needs a file whose first line is a token");
      expect(usage(() => serversOf(join(folder, "none")))).toContain("--token-file cannot be read");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("gives a server that is added the token that is named with it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "token-file-"));
    try {
      const file = join(folder, "token");
      await writeFile(file, "from-a-file\n", { mode: 0o600 });
      const said: string[] = [];
      const line = parseCommandLine(["servers", "add", "http://a/mcp", "--token-file", file], {});
      const output = createOutput({ write: () => {} }, { write: () => {} }, true);
      const idle = { interrupts: { next: () => new Promise<never>(() => {}) }, onFollow: () => {}, clock: () => 0 };
      await serversCommand({ client: fakeClient({ tasks: [], said }), line, output, ...idle });
      expect(said).toEqual(['addServer {"url":"http://a/mcp","token":"from-a-file"} undefined']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("keeps the words of a command in their order", () => {
    const line = parseCommandLine(["call", "count", "to=5", "--timeout", "1.5s", "--new"], {});
    expect([line.command, line.words, line.timeoutMs, line.new]).toEqual(["call", ["count", "to=5"], 1500, true]);
  });

  it.each([
    [["cuont"], "There is no command cuont. There are: call"],
    [["taks"], "There is no command taks. Did you mean tasks?"],
    [["res"], "Did you mean resume or result?"],
    [["tasks", "--nope"], "--help lists the options"],
    [["tasks", "--jsn"], "Unknown option '--jsn'. Did you mean --json?"],
    [["tasks", "extra"], 'tasks takes no words: "extra" has no meaning. See: resumable-mcp help tasks'],
    [["tasks", "--detach"], "The command tasks has no option --detach; it is an option of call."],
    [["show", "a", "--wait"], "The command show has no option --wait; it is an option of call, watch, wait."],
    [["stats", "-q"], "The command stats has no option --quiet; it is an option of call, watch, wait."],
    [["call", "x", "--theme", "dark"], "it is an option of the user interface, without a command."],
    [["--all"], "The user interface has no option --all; it is an option of tasks, pause,"],
    [["show", "a", "b"], 'show takes ID and no more words: "b" has no meaning.'],
    [["tasks", "--url", "localhost:8001"], '"localhost:8001" is not a valid server URL'],
    [["tasks", "--url", "htp://ada:hunter2@a/mcp"], '"htp://a/mcp" is not a valid server URL'],
    [
      ["wait", "x", "--timeout", "soon"],
      '--timeout must be a time such as 500ms, 7.5s, 10m, 12h or 30d, of at most 2147483 s, not "soon"',
    ],
    [["wait", "x", "--timeout", "60"], 'not "60".'],
    [["wait", "x", "--timeout", "25d"], "--timeout must be a time such as 500ms"],
    [["tasks", "--server-wait", "10"], "--server-wait must be a time such as 500ms"],
    [["--theme", "pink"], '--theme must be auto, dark or light, not "pink"'],
    [["call", "x", "--on-interrupt", "explode"], "--on-interrupt must be detach, pause or cancel"],
    [["tasks", "--stdio", "node 'x"], "open quote"],
    [["tasks", "--stdio", " "], "needs a command"],
  ])("%j is refused with a sentence", (words, message) => {
    expect(usage(() => parseCommandLine(words, {}))).toContain(message);
  });
});

describe("an option", () => {
  it.each(commandNames)("of the table or of every command is taken by %s", (name) => {
    const words = [...(commandTable[name].options ?? []), ...commonOptions].flatMap((option) => {
      const { value, values }: OptionEntry = optionTable[option];
      return value === undefined ? [`--${option}`] : [`--${option}=${values?.[0] ?? (value === "TIME" ? "1s" : "1")}`];
    });
    const usable = words.filter((word) => !/^--(url|stdio|token-file)/.test(word));
    expect(parseCommandLine([name, ...usable], {}).command).toBe(name);
  });

  it("without effect is accepted next to --help", () => {
    expect(parseCommandLine(["tasks", "--detach", "--help"], {}).help).toBe(true);
  });
});

describe("a command in one text", () => {
  it("is split as a shell would", () => {
    expect(commandWords(`node --x="a b" 'c d' e\\ f ""`)).toEqual(["node", "--x=a b", "c d", "e f", ""]);
  });
});

describe("arguments as words", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      name: { type: "string" },
      on: { type: "boolean" },
      list: { type: "array" },
      maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
    },
    additionalProperties: false,
  };

  it("have the type that the schema says", () => {
    expect(parseToolArguments(["n=5", "name=5", "on=true", "list=[1]", "maybe=null"], undefined, schema)).toEqual({
      n: 5,
      name: "5",
      on: true,
      list: [1],
      maybe: null,
    });
  });

  it("win over those of the JSON text, and may hold an equals sign", () => {
    expect(parseToolArguments(["name=a=b"], '{"name":"x","n":1}', schema)).toEqual({ name: "a=b", n: 1 });
  });

  it("are taken as JSON or text where there is no schema", () => {
    expect(parseToolArguments(["a=1", "b=x"], undefined)).toEqual({ a: 1, b: "x" });
  });

  it.each([
    [["n"], undefined, "is not a valid argument"],
    [["n=1.5"], undefined, 'n has to be an integer, not "1.5"'],
    [["m=1"], undefined, "The tool has no argument m. Did you mean n? It has: n, name"],
    [["nmae=x"], undefined, "The tool has no argument nmae. Did you mean name?"],
    [[], '{"lists":[]}', "The tool has no argument lists. Did you mean list?"],
    [[], "[1]", "--args has to be a JSON object"],
  ])("%j are refused with a sentence", (words, json, message) => {
    expect(usage(() => parseToolArguments(words, json, schema))).toContain(message);
  });

  it("that a schema does not declare are refused, unless it says that it takes others", () => {
    const { additionalProperties: _closed, ...silent } = schema;
    const said = [silent, { ...silent, additionalProperties: true }, { ...silent, anyOf: [] }, { type: "object" }].map(
      (open) => usage(() => parseToolArguments(["strt=1"], undefined, open)),
    );
    expect(said).toEqual([
      expect.stringContaining("The tool has no argument strt"),
      "no error",
      "no error",
      "no error",
    ]);
    expect(usage(() => parseToolArguments(["x=1"], undefined, { properties: {} }, ofQuestion))).toBe(
      "The question has no field x. It has none.",
    );
  });

  it("are checked against the whole schema before they are sent: what is missing and what is wrong at once", async () => {
    const whole = {
      type: "object",
      properties: { n: { type: "integer", maximum: 5 }, size: { enum: ["S", "M"] }, in: { type: "object" } },
      required: ["n", "size"],
    };
    await expect(checkArguments({ n: 29 }, whole, "See X.")).rejects.toThrow(
      new UsageError("n has to be at most 5; size is missing (S or M). See X."),
    );
    await expect(checkArguments({ n: 2, size: "M" }, whole, "")).resolves.toBeUndefined();
  });

  it("have an example of each, for a user to fill in", () => {
    const question = {
      properties: { polite: { type: "boolean" }, size: { enum: ["S", "M"] }, note: { type: "string" } },
      required: ["polite"],
    };
    expect(exampleWords(question)).toBe("polite=true [size=S] [note=…]");
  });
});

describe("the output", () => {
  const stream = (isTTY: boolean) => {
    const written: string[] = [];
    return { written, isTTY, columns: 40, write: (text: string) => written.push(text) };
  };

  it("draws progress over itself on a terminal, and clears it before a line that stays", () => {
    vi.stubEnv("TERM", "xterm-256color");
    const [out, err] = [stream(true), stream(true)];
    const output = createOutput(out, err, false);
    output.progress("1");
    output.progress("2");
    output.note("done");
    expect([err.written.join(""), output.columns]).toEqual(["\r\u001b[2K1\r\u001b[2K2\r\u001b[2Kdone\n", 40]);
    output.progress("50 %");
    output.line("result");
    expect(err.written.at(-1)).toBe("\r\u001b[2K");
  });

  it("writes plain lines on a terminal that cannot go back", () => {
    vi.stubEnv("TERM", "dumb");
    const [out, err] = [stream(true), stream(true)];
    const output = createOutput(out, err, false);
    output.progress("1");
    output.note("done");
    expect([err.written.join(""), output.columns]).toEqual(["1\ndone\n", 1000]);
  });

  it("keeps an open prompt: a note is written above it, and no progress is drawn over it", () => {
    vi.stubEnv("TERM", "xterm-256color");
    const [out, err] = [stream(true), stream(true)];
    const output = createOutput(out, err, false);
    const end = output.keepPrompt(() => err.write("sure? y"));
    output.progress("1");
    output.note("connected again");
    expect([err.written.join(""), output.isAsking()]).toEqual(["\r\u001b[2Kconnected again\nsure? y", true]);
    end();
    output.note("done");
    expect([err.written.at(-1), output.isAsking()]).toEqual(["done\n", false]);
  });

  it("writes nothing that a terminal takes for a command, a direction or the end of a line", () => {
    const odd = "\u001b]0;title\u0007a\u009b31m\u202eb\u2066c\u2028\r\n";
    for (const json of [false, true]) {
      const [out, err] = [stream(false), stream(false)];
      const output = createOutput(out, err, json);
      output.line(odd);
      output.note(odd);
      output.progress(odd);
      output.object({ [odd]: odd });
      output.result({ odd }, [`first  ${odd}`, "second"]);
      const text = [...out.written, ...err.written].join("");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      expect(JSON.parse(out.written.find((line) => line.startsWith("{")) ?? "")).toEqual({ [odd]: odd });
      if (!json) expect(out.written.slice(-2)).toEqual(["first  a 31m b c \n", "second\n"]);
    }
  });

  it("writes plain lines elsewhere, and results apart from them", () => {
    const [out, err] = [stream(false), stream(false)];
    const output = createOutput(out, err, false);
    output.progress("1");
    output.line("result");
    expect([out.written, err.written]).toEqual([["result\n"], ["1\n"]]);
  });
});

describe("an interrupt", () => {
  it("goes to the work that waits for it, and ends the program when none does or it comes again", async () => {
    const listeners = new Map<Interrupt, () => void>();
    const exits: Interrupt[] = [];
    const source = { on: (signal: Interrupt, listener: () => void) => listeners.set(signal, listener) };
    const interrupts = listenForInterrupts(source, (interrupt) => exits.push(interrupt));
    const next = interrupts.next();
    listeners.get("SIGINT")?.();
    expect([await next, exits]).toEqual(["SIGINT", []]);
    listeners.get("SIGINT")?.();
    expect(exits).toEqual(["SIGINT"]);
  });
});

describe("an exit code", () => {
  it("tells how a task ended", () => {
    const result = { content: [], isError: false, meta: {}, reused: false, text: "" };
    const codes = (["completed", "failed", "cancelled"] as const).map((status) =>
      exitCodeOfResult({ ...result, status }),
    );
    expect([...codes, exitCodeOfResult({ ...result, status: "completed", isError: true })]).toEqual([0, 1, 8, 1]);
  });
});
