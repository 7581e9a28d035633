import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { anthropic } from "./dialects/anthropic.js";
import type { Dialect } from "./dialects/dialect.js";
import { gemini } from "./dialects/gemini.js";
import { openaiChat } from "./dialects/openai-chat.js";
import { openaiResponses } from "./dialects/openai-responses.js";
import { decide, type Heard, type Reply, sincePrompt } from "./script.js";

const dialects: readonly Dialect[] = [anthropic, gemini, openaiChat, openaiResponses];
const maxTurns = 2_000;
const maxBodyBytes = 16_000_000;

/** A request that names a tool to call, and what the model responded. */
export interface Turn {
  /** When, in milliseconds. */
  readonly at: number;
  readonly prompt: string;
  readonly results: readonly string[];
  readonly heard: Heard;
  readonly reply: Reply;
  /** Whether the instructions of our server reached the model. */
  readonly instructed: boolean;
}

/** A model on the loopback interface that follows its prompt and the results of its calls, and notes what it hears. */
export interface ScriptedModel {
  /** Without a path. */
  readonly url: string;
  readonly turns: readonly Turn[];
  /** Those after one prompt, also of other sessions. */
  turnsOf(prompt: string): readonly Turn[];
  /** Resolves with what is found in the turns of a prompt; looks again at each new one. */
  until<Found>(prompt: string, find: (turns: readonly Turn[]) => Found | undefined): Promise<Found>;
  close(): Promise<void>;
}

/** Starts the model on a free port. @param instructions begin so. */
export async function startModel(instructions: string): Promise<ScriptedModel> {
  const turns: Turn[] = [];
  const checks = new Set<() => void>();
  let ids = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const dialect = dialects.find((one) => one.path.test(path));
    if (dialect === undefined) throw new Error(`The model does not know ${path}.`);
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw new Error("The request is too long.");
    const body = await json(request);
    const heard = dialect.hear(body);
    const reply = decide(heard);
    const asked = sincePrompt(heard);
    // A host also asks for titles and the like, for which it offers no tools.
    if (asked !== undefined && heard.tools.length > 0 && turns.length < maxTurns)
      turns.push({ at: Date.now(), ...asked, heard, reply, instructed: JSON.stringify(body).includes(instructions) });
    ids += 1;
    const events = dialect.respond(reply, String(ids));
    const lines = events.map(({ event, data }) => `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(lines.join(""));
    for (const check of checks) check();
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const turnsOf = (prompt: string) => turns.filter((turn) => turn.prompt === prompt);
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    turns,
    turnsOf,
    until: (prompt, find) =>
      new Promise((resolve) => {
        const check = () => {
          const found = find(turnsOf(prompt));
          if (found === undefined) return;
          checks.delete(check);
          resolve(found);
        };
        checks.add(check);
        check();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
