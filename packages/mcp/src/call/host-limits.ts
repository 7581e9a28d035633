/** A host that gives up on a call of a tool after a known time, unless its user configured another one. */
export interface HostLimit {
  /** As docs/hosts.md calls it. */
  readonly host: string;
  /** What its `clientInfo.name` is. */
  readonly clientName: RegExp;
  /** In milliseconds; where versions differ, the shortest. */
  readonly limitMs: number;
}

/**
 * A host is listed only where both are known: its limit, and the name that it sends.
 *
 * Source: docs/hosts.md, "How long hosts wait for a call", which names a source for each.
 */
export const hostLimits: readonly HostLimit[] = [
  { host: "Claude Desktop, claude.ai", clientName: /^claude-ai$/, limitMs: 60_000 },
  { host: "Codex", clientName: /^(?:codex-mcp-client|Codex)$/, limitMs: 60_000 },
  // Later versions put the name of the server behind it.
  { host: "Gemini CLI", clientName: /^gemini-cli-mcp-client(?:-|$)/, limitMs: 600_000 },
  { host: "Qwen Code", clientName: /^qwen-cli-mcp-client-/, limitMs: 300_000 },
  { host: "Goose", clientName: /^goose$/, limitMs: 300_000 },
  { host: "Zed", clientName: /^Zed$/, limitMs: 60_000 },
  { host: "opencode", clientName: /^opencode$/, limitMs: 60_000 },
  { host: "Continue CLI", clientName: /^continue-cli-client$/, limitMs: 60_000 },
  { host: "Pi", clientName: /^pi$/, limitMs: 60_000 },
  { host: "Cline", clientName: /^@cline\/core$/, limitMs: 60_000 },
  { host: "GitHub Copilot for JetBrains", clientName: /^JetBrains-\w+-copilot-intellij$/, limitMs: 30_000 },
];

/** Time that an answer and its way take, in milliseconds: a quarter of the limit, and no more than this. */
const maxMarginMs = 15_000;

/** When a call of a host with a known limit is answered at the latest, in milliseconds; `undefined` where none is known. Pure. */
export function latestAnswerMs(clientName: string): number | undefined {
  const limitMs = hostLimits.find((known) => known.clientName.test(clientName))?.limitMs;
  return limitMs === undefined ? undefined : limitMs - Math.min(limitMs / 4, maxMarginMs);
}
