import { isIP } from "node:net";
import type { HttpRequest } from "@resumable-mcp/mcp";
import ipaddr from "ipaddr.js";
import { isLoopback } from "./allowed-hosts.js";

/** An address, where a text is one. An IPv4 address that is written as IPv6, as where the server listens on both, is of IPv4. */
const parsed = (text: string) => (isIP(text) === 0 ? undefined : ipaddr.process(text));

/** What counts as one caller: an IPv4 address, or the 2^64 addresses of an IPv6 network, which one customer of a provider has. */
export function toNetwork(address: string): string {
  const found = parsed(address);
  return found instanceof ipaddr.IPv6
    ? found.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")
    : (found?.toString() ?? address);
}

/** Proxies whose word on the address of their callers is taken. */
export class TrustedProxies {
  readonly #networks: (readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number])[] = [];

  /** @throws {@link TypeError} that names what is neither an address nor an address with the length of a prefix. */
  constructor(networks: readonly string[] = []) {
    for (const network of networks) this.#add(network);
  }

  #add(network: string): void {
    const [given = "", prefix, ...rest] = network.split("/");
    const address = parsed(given);
    const longest = address instanceof ipaddr.IPv6 ? 128 : 32;
    const bits = prefix === undefined ? longest : Number(prefix);
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && bits <= longest);
    if (address === undefined || !isPrefix || rest.length > 0) {
      throw new TypeError(`${JSON.stringify(network)} is not an address or a network, such as 10.0.0.0/8.`);
    }
    this.#networks.push([address, bits]);
  }

  has(address: string): boolean {
    const found = this.#networks.length === 0 ? undefined : parsed(address);
    if (found === undefined) return false;
    return this.#networks.some(([network, bits]) => found.kind() === network.kind() && found.match(network, bits));
  }

  /**
   * The address that a request comes from, by `X-Forwarded-For`. Each trusted proxy adds the address of its own caller at the
   * end: the list is read from there, up to the first address that is not one of a trusted proxy. What stands before it may be
   * invented, and so may all other headers: a proxy passes on those that it does not write. No other machine has a loopback
   * address, whatever the header says.
   */
  callerOf(request: Pick<HttpRequest, "header">, peerAddress: string | undefined): string | undefined {
    if (peerAddress === undefined || !this.has(peerAddress)) return peerAddress;
    let caller = peerAddress;
    for (const address of (request.header("x-forwarded-for") ?? "").split(",").map(withoutPort).reverse()) {
      // An obfuscated or unknown one: the proxy that says so is all that is known.
      if (isIP(address) === 0) break;
      caller = address;
      if (!this.has(address)) break;
    }
    return isLoopback(caller) ? peerAddress : caller;
  }
}

/** `192.0.2.1:80`, `[2001:db8::1]:80` and plain addresses. */
function withoutPort(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return trimmed.slice(1, Math.max(1, trimmed.indexOf("]")));
  return trimmed.split(":").length === 2 ? (trimmed.split(":")[0] ?? "") : trimmed;
}
