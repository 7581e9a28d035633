/** What the raw requests of these tests look like on the wire. */
type Message = { readonly [key: string]: unknown };

const accept = "application/json, text/event-stream";
const headers2025 = { "mcp-protocol-version": "2025-11-25" };

/** Calls a tool as a client of 2025-11-25 does, without a session. */
export function postCall(url: string, { name, arguments: input }: { name: string; arguments: object }) {
  const params = { name, arguments: input, _meta: { progressToken: "p" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", accept, ...headers2025 }, body });
}

/** Resumes a stream. */
export function resumeStream(url: string, lastEventId: string | undefined): Promise<Response> {
  return fetch(url, { headers: { accept: "text/event-stream", "last-event-id": lastEventId ?? "", ...headers2025 } });
}

/** An event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Its progress, or the structured result; empty for what only primes the stream. */
  readonly shows: unknown;
}

/** Reads the events of an answer one by one. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
      const [id, data] = [field("id"), field("data")];
      if (id !== undefined) yield { id, shows: shown(data ? JSON.parse(data) : {}) };
    }
  }
}

/** Reads an answer to its end. */
export async function allEventsOf(response: Response): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

function shown({ params, result }: { params?: { progress?: number }; result?: { structuredContent?: object } }) {
  return params?.progress ?? result?.structuredContent ?? "";
}

/** Makes one request of the 2026 era, with the tasks extension. */
export async function task2026(url: string, method: string, params: Message): Promise<Message> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const name = String(params.name ?? params.taskId);
  const headers = { "content-type": "application/json", accept, "mcp-protocol-version": "2026-07-28" };
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "mcp-method": method, "mcp-name": name },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  // An answer that takes longer than a second comes as a stream.
  const text = await response.text();
  const { result, error }: { result?: Message; error?: Message } = JSON.parse(/^data: ?(.*)$/m.exec(text)?.[1] ?? text);
  if (result === undefined) throw new Error(`${method} was answered with ${JSON.stringify(error)}`);
  return result;
}
