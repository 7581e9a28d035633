import type { DrawnRequest } from "./draw-request.js";
import type { RawResponse } from "./raw-connection.js";

/** The ids that may stand in a response. */
type RpcId = string | number;

/** Reads the id of a request of JSON-RPC, if a text is one: a server must answer it once. */
export function requestIdOf(text: string): RpcId | undefined {
  const value = parsed(text);
  const message = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof message !== "object" || message === null || Array.isArray(message)) return undefined;
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const isParams = params === undefined || (typeof params === "object" && params !== null && !Array.isArray(params));
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isParams) return undefined;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : undefined;
}

/** Reads the method of a message; empty when it has none. */
export function methodOf(text: string): string {
  const value = parsed(text);
  return typeof value === "object" && value !== null && "method" in value && typeof value.method === "string"
    ? value.method
    : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** The messages in the body of an answer, or what is wrong with it. */
function messagesIn({ head, text, complete }: RawResponse): readonly unknown[] | string {
  const type = head?.headers.get("content-type") ?? "";
  const isStream = type.startsWith("text/event-stream");
  if (!isStream && !type.startsWith("application/json")) return [];
  const whole = isStream ? text.split("\n\n").slice(0, -1) : complete ? [text] : [];
  const data = whole.map((part) => (isStream ? dataOf(part) : part)).filter((part) => part !== "");
  const messages: unknown[] = [];
  for (const part of data) {
    const message = parsed(part);
    const isRpc = typeof message === "object" && message !== null && "jsonrpc" in message && message.jsonrpc === "2.0";
    const isMetadata = typeof message === "object" && message !== null && "resource" in message;
    if (!isRpc && !isMetadata) return part;
    messages.push(message);
  }
  return messages;
}

// Other characters that end a line elsewhere do not end one of a stream of events.
const dataOf = (frame: string) =>
  frame
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
    .join("\n");

/** The ids of the responses in an answer. */
export function answeredIds(response: RawResponse): readonly unknown[] {
  const messages = messagesIn(response);
  if (typeof messages === "string") return [];
  return messages.flatMap((message) => {
    const { id, result, error } = message as { id?: unknown; result?: unknown; error?: unknown };
    return result !== undefined || error !== undefined ? [id] : [];
  });
}

/** What no answer may show: where the code is, where the store is. */
const ofTheMachine = /\\"path\\": \[|node_modules|\n\s+at \S+ \(|"stack":|\/tmp\/|file:\/\/\/(?!etc\/passwd)/;

/** Tells what is wrong with an answer, whatever was asked; `undefined` when nothing is. */
export function judgeAnswer(
  { caller, body }: DrawnRequest,
  response: RawResponse,
  isolated: boolean,
): string | undefined {
  const { head, text, nonsense } = response;
  if (nonsense !== undefined) return `the server sends nonsense: ${nonsense}`;
  if (head === undefined) return undefined;
  if (head.status >= 500 && (head.status !== 503 || text === "")) return `status ${head.status}: ${text.slice(0, 200)}`;
  const messages = messagesIn(response);
  if (typeof messages === "string") return `the answer is not a message: ${messages.slice(0, 200)}`;
  const foreign = [...text.matchAll(/canary-\d\d-/g)].find(
    ([canary]) => canary !== caller.canary && !body.includes(canary),
  );
  if (isolated && foreign !== undefined) return `the answer shows what another caller sent: ${foreign[0]}`;
  // Strangers see nothing of what tools throw.
  if (isolated && placesInStack.test(text)) return `the answer shows the machine: ${around(text, "stack")}`;
  return judgeText(text, body);
}

/** Where a tool threw: the user of the machine sees it in the journal of a task. The journal may be JSON in a text. */
const placesInStack = /\\*"stack\\*":\\*"at [^"]*"/;

/** Tells what is wrong with a text that a server sent; `undefined` when nothing is. */
export function judgeText(text: string, sent: string): string | undefined {
  const shown = ofTheMachine.exec(text.replaceAll(new RegExp(placesInStack, "g"), ""))?.[0];
  if (shown !== undefined && !sent.includes(shown)) return `the answer shows the machine: ${around(text, shown)}`;
  return text.includes('"code":-32603') ? `an internal error: ${around(text, '"code":-32603')}` : undefined;
}

const around = (text: string, part: string) =>
  text.slice(Math.max(0, text.indexOf(part) - 80), text.indexOf(part) + 160);

/** Tells what is wrong with the answer to a request that must have one; `undefined` when nothing is, or it is still open. */
export function judgeCount({ body, method }: DrawnRequest, response: RawResponse): string | undefined {
  const { head, complete, over } = response;
  if (over && !complete) return "the connection was closed in the middle of an answer";
  const id = method === "POST" ? requestIdOf(body) : undefined;
  if (head === undefined || id === undefined || head.status >= 300) return undefined;
  if (head.status === 202) return "a request with an id is answered as a notification (202)";
  const ids = answeredIds(response);
  const count = ids.filter((one) => one === id).length;
  if (count > 1 || ids.length > 1) return `${ids.length} answers to one request: ${JSON.stringify(ids)}`;
  return complete && count === 0 ? `the stream ended without an answer (${JSON.stringify(ids)})` : undefined;
}
