import type { ClientEvent } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import { formatDuration, progressLine } from "../display/progress-line.js";

/** What a person is told of an event; what passes is drawn over by the next. */
export interface EventLine {
  readonly text: string;
  readonly passing: boolean;
}

/** Says an event on one line, or nothing where it does not matter to a person. */
export function eventLine(
  event: ClientEvent,
  look: { readonly name: string; readonly elapsedMs: number; readonly columns: number },
): EventLine | undefined {
  const { name, elapsedMs, columns } = look;
  switch (event.type) {
    case "progress":
      return { text: progressLine({ ...event, name, elapsedMs }, columns), passing: true };
    case "log":
      return event.level === "debug" ? undefined : { text: `${event.level}: ${logText(event.data)}`, passing: false };
    case "reconnecting": {
      const delay = formatDuration(event.nextDelayMs + 999);
      return { text: `${name}: connection lost (${plainText(event.reason)}); next attempt in ${delay}`, passing: true };
    }
    case "reconnected":
      return { text: "connected again", passing: false };
    case "session_changed":
      return { text: "server's session id changed; your tasks are kept", passing: false };
    case "question":
      return { text: `The task asks: ${plainText(event.question.message)}`, passing: false };
    case "dropped":
      return { text: `${event.count} log messages left out`, passing: false };
    case "status":
      return undefined;
  }
}

function logText(data: Extract<ClientEvent, { type: "log" }>["data"]): string {
  return plainText(typeof data === "string" ? data : JSON.stringify(data));
}
