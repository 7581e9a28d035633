import { createHash } from "node:crypto";

/**
 * Makes the content security policy of a page: what stands in it runs and nothing else, and it reaches this server and these origins
 * alone. No other page may hold it in a frame. Pure.
 *
 * @param origins where its users sign in.
 */
export function pagePolicy(html: string, origins: readonly string[]): string {
  const { script, style } = inlineHashes(html);
  const listOr = (values: readonly string[]) => (values.length === 0 ? "'none'" : values.join(" "));
  return [
    "default-src 'none'",
    `script-src ${listOr(script)}`,
    `style-src ${listOr(style)}`,
    "img-src data:",
    `connect-src ${["'self'", ...new Set(origins)].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/**
 * The hashes of what a document holds in its elements `script` and `style`. What these hold ends at their end tag, whatever stands
 * in it. Source: CSP Level 3, "Hash source"; HTML, "Script data state".
 */
function inlineHashes(html: string): { readonly script: readonly string[]; readonly style: readonly string[] } {
  const found = { script: [] as string[], style: [] as string[] };
  const start = /<(script|style)\b[^>]*>/gi;
  for (let match = start.exec(html); match !== null; match = start.exec(html)) {
    const name = match[1]?.toLowerCase() === "script" ? "script" : "style";
    const end = new RegExp(`</${name}[\\s/>]`, "gi");
    end.lastIndex = start.lastIndex;
    const at = end.exec(html)?.index ?? html.length;
    const digest = createHash("sha256").update(html.slice(start.lastIndex, at)).digest("base64");
    found[name].push(`'sha256-${digest}'`);
    start.lastIndex = at;
  }
  return found;
}
