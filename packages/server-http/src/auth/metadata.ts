import { HttpAnswer } from "@resumable-mcp/mcp";
import { isLoopback } from "../allowed-hosts.js";

const wellKnown = "/.well-known/oauth-protected-resource";

/** The address of a resource's metadata. Source: RFC 9728, section 3.1. */
export function toMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${metadataPath(pathname)}`;
}

function metadataPath(pathname: string): string {
  return pathname === "/" ? wellKnown : `${wellKnown}${pathname}`;
}

/**
 * Whether a path is one at which a server answers with metadata: that of its public URL, which its callers know, or that of
 * its own path, which a proxy may ask for. All of them stand here without a slash at the end.
 */
export function isMetadata(asked: string, ownPath: string, publicUrl: string | undefined): boolean {
  if (!asked.startsWith(wellKnown)) return false;
  const paths = [wellKnown, `${wellKnown}${ownPath}`];
  return [
    ...paths,
    ...(publicUrl === undefined ? [] : [new URL(toMetadataUrl(publicUrl)).pathname.replace(/\/$/, "")]),
  ].includes(asked);
}

/** The answer with a resource's metadata; it is the same for all, and may be kept. */
export function metadataAnswer(metadata: object): HttpAnswer {
  return HttpAnswer.json(metadata, 200, { "cache-control": "public, max-age=3600" });
}

/**
 * Checks an address that tokens are bound to, or that keys and answers come from: `https`, or `http` on this machine.
 *
 * @throws {@link Error} that says what is wrong with it.
 */
export function secureUrl(name: string, text: string, mayHaveQuery = false): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // What stands before a host may be a password.
    throw new Error(`${name} must be a URL, not ${JSON.stringify(text.replace(/\/\/.*@/, "//"))}.`);
  }
  const shown = `${url.origin}${url.pathname}`;
  const isSecure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  if (!isSecure) throw new Error(`${name} must begin with https:// (http:// on this machine only), not ${shown}.`);
  if (url.hash !== "" || (url.search !== "" && !mayHaveQuery) || url.username !== "" || url.password !== "") {
    throw new Error(`${name} must have no query, fragment, user or password: ${shown}.`);
  }
  return url;
}
