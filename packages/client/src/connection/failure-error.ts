import { ClientError, type ClientErrorCode } from "../client-error.js";
import type { LinkFailure, LinkFailureKind } from "./link.js";

/** Says what happened to a request, to which server, and what to do next. */
export function failureError(
  failure: LinkFailure,
  server: { readonly address: string; readonly advice: string },
): ClientError {
  const { code, sentence } = told[failure.kind];
  return new ClientError(code, sentence(server.address, failure.message, server.advice), { cause: failure });
}

interface Told {
  readonly code: ClientErrorCode;
  readonly sentence: (address: string, reason: string, advice: string) => string;
}

const nobody: Told = {
  code: "SERVER_UNREACHABLE",
  sentence: (address, reason, advice) => `No server answers at ${address} (${reason}). ${advice}`,
};

const told: Readonly<Record<LinkFailureKind, Told>> = {
  unreachable: nobody,
  session_lost: nobody,
  broken: {
    code: "CONNECTION_LOST",
    sentence: (address, reason) =>
      `The connection to ${address} broke (${reason}); the request may or may not have taken effect. Check before you repeat it.`,
  },
  unauthorized: {
    code: "UNAUTHORIZED",
    sentence: (address, reason) =>
      `${address} refuses this client (${reason}). Give a valid token, or sign in: resumable-mcp servers login ${address}`,
  },
  untrusted: {
    code: "SERVER_UNTRUSTED",
    sentence: (address, reason) =>
      `${address} answers, but nothing was sent, since it cannot be trusted (${reason}). If its certificate is your own, name it: NODE_EXTRA_CA_CERTS=/path/to/certificate.pem. If it has none, its URL begins with http://.`,
  },
  not_mcp: {
    code: "NOT_AN_MCP_SERVER",
    sentence: (address, reason) =>
      `${address} answers, but not as an MCP server of this client's versions (${reason}). Check the URL: its path is usually /mcp.`,
  },
  aborted: { code: "ABORTED", sentence: () => "The request was given up." },
  answer: {
    code: "SERVER_REFUSED",
    sentence: (address, reason) => `${address} refused the request: ${reason}`,
  },
};
