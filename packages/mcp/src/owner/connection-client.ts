import { claimsVersion } from "../http/claims-version.js";
import { attribute, isNamedByArgument, type NamedRequest } from "./session-client.js";

type ConnectionRequest = NamedRequest & { readonly method: string };

/**
 * The client that the requests of one connection over stdio named last. Requests of the 2026 era name their client
 * themselves: they take no part. No I/O in here.
 */
export class ConnectionClient {
  #clientId: string | undefined;

  /** Whether the caller depends on what the listed tool says of its argument `client_id`. */
  needsTools(request: ConnectionRequest): boolean {
    return request.method === "tools/call" && !claimsVersion(request) && isNamedByArgument(request);
  }

  /** Takes the requests in the order of their arrival; gives each as the server gets it, in every delivery. */
  attribute<Request extends ConnectionRequest>(request: Request, takesArgument: boolean): Request {
    if (claimsVersion(request)) return request;
    // What opens the connection can name its client, and has none yet.
    const known = request.method === "initialize" ? undefined : this.#clientId;
    const { request: attributed, clientId } = attribute(request, known, takesArgument);
    this.#clientId = clientId ?? this.#clientId;
    return attributed;
  }
}
