import { HttpAnswer } from "@resumable-mcp/mcp";

const requestHeaders = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
];

/** Answers a browser's question whether it may call. The origin was checked before. */
export function preflight(): HttpAnswer {
  return new HttpAnswer(204, {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": requestHeaders.join(", "),
    "access-control-max-age": "600",
  });
}

/** Lets a page of an allowed origin read an answer. */
export function withCors(answer: HttpAnswer, origin: string | undefined): HttpAnswer {
  if (origin === undefined) return answer;
  const { vary } = answer.headers;
  return answer.with({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    vary: vary === undefined ? "Origin" : `${vary}, Origin`,
  });
}
