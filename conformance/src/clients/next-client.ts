import {
  Client,
  type ClientCapabilities,
  type Progress,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ClientHooks, type ClientKind, callTimeoutMs, clientInfo, transportTo, versionOf } from "./client-kind.js";
import type { Place } from "./server-under-test.js";

/** The version of the 2026 era. */
export const pinnedVersion = "2026-07-28";

/** What a client declares that can ask its user, or that cannot. */
export function capabilitiesOf({ onQuestion }: ClientHooks): ClientCapabilities {
  return onQuestion === undefined ? {} : { elicitation: {} };
}

/** Connects an unmodified client of the SDK that speaks both eras. */
export async function connectNext(
  place: Place,
  mode: VersionNegotiationMode,
  hooks: ClientHooks = {},
): Promise<Client> {
  const { onQuestion } = hooks;
  const client = new Client(clientInfo, { capabilities: capabilitiesOf(hooks), versionNegotiation: { mode } });
  if (onQuestion !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => ({ ...(await onQuestion(params.message)) }));
  }
  await client.connect(transportTo(place, StreamableHTTPClientTransport, StdioClientTransport));
  return client;
}

/** The client reports progress of its own when it asks its user. */
const ownProgress = "Fulfilling input required";

function nextKind(title: string, mode: VersionNegotiationMode): ClientKind {
  return {
    name: `\`@modelcontextprotocol/client\` ${versionOf("@modelcontextprotocol/client")}, ${title}`,
    tellsProgress: true,
    async open(place, hooks = {}) {
      const client = await connectNext(place, mode, hooks);
      return {
        async call(name, args, seen, patienceMs = callTimeoutMs) {
          seen.begin();
          const onprogress = ({ progress, message }: Progress) => {
            if (message?.startsWith(ownProgress) !== true) seen.progress(progress);
          };
          return client.callTool(
            { name, arguments: args },
            { onprogress, timeout: patienceMs, resetTimeoutOnProgress: true },
          );
        },
        close: () => client.close(),
      };
    },
  };
}

/** The client of both eras, in each of its modes. */
export const nextClients = {
  era2025: nextKind("legacy", "legacy"),
  auto: nextKind("auto", "auto"),
  pinned: nextKind(`pinned to ${pinnedVersion}`, { pin: pinnedVersion }),
};
