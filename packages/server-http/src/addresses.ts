import { BlockList, isIP } from "node:net";
import type { HttpRequest } from "@resumable-mcp/mcp";
import { isLoopback } from "./allowed-hosts.js";

/** IPv4 addresses arrive in this form where the server listens on both. */
const mapped = /^::ffff:(?=\d+\.)/i;

/** What counts as one caller: an IPv4 address, or the 2^64 addresses of an IPv6 network, which one customer of a provider has. */
export function networkOf(address: string): string {
  const plain = address.replace(mapped, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail = ""] = plain.split("%")[0]?.split("::") ?? [];
  const [front, back] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(Math.max(0, 8 - (front?.length ?? 0) - (back?.length ?? 0))).fill("0");
  return [...(front ?? []), ...zeros, ...(back ?? [])].slice(0, 4).join(":");
}

/** Proxies whose word on the address of their callers is taken. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /** @throws {@link TypeError} that names what is neither an address nor an address with the length of a prefix. */
  constructor(networks: readonly string[] = []) {
    for (const network of networks) this.#add(network);
  }

  #add(network: string): void {
    const [given = "", prefix, ...rest] = network.split("/");
    const address = given.replace(mapped, "");
    const family = familyOf(address);
    const bits = prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix);
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && bits <= (family === "ipv6" ? 128 : 32));
    if (family === undefined || !isPrefix || rest.length > 0) {
      throw new TypeError(`${JSON.stringify(network)} is not an address or a network, such as 10.0.0.0/8.`);
    }
    this.#list.addSubnet(address, bits, family);
  }

  has(address: string): boolean {
    const plain = address.replace(mapped, "");
    const family = familyOf(plain);
    return family !== undefined && this.#list.check(plain, family);
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
      if (familyOf(address) === undefined) break;
      caller = address;
      if (!this.has(address)) break;
    }
    return isLoopback(caller) ? peerAddress : caller;
  }
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const family = isIP(address.replace(mapped, ""));
  return family === 0 ? undefined : family === 6 ? "ipv6" : "ipv4";
}

/** `192.0.2.1:80`, `[2001:db8::1]:80` and plain addresses. */
function withoutPort(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return trimmed.slice(1, Math.max(1, trimmed.indexOf("]")));
  return trimmed.split(":").length === 2 ? (trimmed.split(":")[0] ?? "") : trimmed;
}
