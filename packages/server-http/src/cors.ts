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
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": requestHeaders.join(", "),
      "access-control-max-age": "600",
    },
  });
}

/** Lets a page of an allowed origin read an answer. */
export function withCors(response: Response, origin: string | null): Response {
  if (origin === null) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "Mcp-Session-Id, WWW-Authenticate");
  response.headers.append("vary", "Origin");
  return response;
}
