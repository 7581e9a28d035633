/** How clients reach a server, for people to copy. Pure. Source: the hosts' documentation of servers over HTTP. */
export function connectText(name: string, url: string): string {
  return `
Reloads when a file changes. To connect:
  npx resumable-mcp --url ${url} tools
  npx resumable-mcp --url ${url} call TOOL key=value
  Claude Code    claude mcp add --transport http ${name} ${url}
  Cursor         ${JSON.stringify({ mcpServers: { [name]: { url } } })}
  VS Code        ${JSON.stringify({ servers: { [name]: { type: "http", url } } })}
`;
}
