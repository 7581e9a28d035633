import type { Random } from "../kills/kill-plan.js";

/** A header as it stands in a head. */
export type Header = readonly [name: string, value: string];

/** A request before it is written. */
export interface HttpDraft {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** The head is complete and valid, and says truly where the body ends: there must be an answer. */
  readonly exact: boolean;
}

/** Writes a request. Characters of a head beyond those of one byte are cut. */
export function bytesOf({ method, target, version, headers, body }: HttpDraft): Buffer {
  const lines = headers.map(([name, value]) => `${name}${name === "" ? "" : ": "}${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${lines.join("")}\r\n`, "latin1"), body]);
}

/** Changes a request. */
type Change = (draft: HttpDraft, random: Random) => HttpDraft;

const inexact = (draft: HttpDraft, headers: readonly Header[]): HttpDraft => ({ ...draft, headers, exact: false });
const isNamed = (name: string) => (header: Header) => header[0].toLowerCase() === name;
const without = ({ headers }: HttpDraft, name: string) => headers.filter((header) => !isNamed(name)(header));
const isFraming = ([name]: Header) => ["content-length", "transfer-encoding", "host", ""].includes(name.toLowerCase());

const oddValues = [
  "",
  " ",
  "\t",
  "x".repeat(300),
  "x".repeat(9_000),
  "\xff\xfe",
  "a,b",
  "a;b=c",
  '"',
  "\\",
  "*",
  "-1",
  "0",
  "null",
  "../..",
  "é",
] as const;
const lengths = ["-1", "+5", "0x10", "1e3", "5, 5", "5, 6", "99999999999999999999", "", " ", "4 4", "1_0"] as const;
const odderMethods = [
  "HEAD",
  "PUT",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "post",
  "P OST",
  "GE\0T",
  "\x16\x03\x01",
  "",
] as const;
const targets = [
  ...[
    "*",
    "/",
    "//mcp",
    "/mcp/",
    "/mcp//",
    "/MCP",
    "/mcp?x=1&x=2",
    "/mcp#x",
    "/mcp/../mcp",
    "/%6dcp",
    "/%",
    "/%00",
    "mcp",
  ],
  ...[
    "http://127.0.0.1/mcp",
    "http://evil.example/mcp",
    "//evil.example/mcp",
    "http://user:pass@127.0.0.1/mcp",
    "http://[::1/",
    "/mcp\x7f",
  ],
  ...[
    "/healthz",
    "/readyz",
    "/metrics",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
  ],
  `/${"/".repeat(8_000)}x`,
  `/mcp?${"a=b&".repeat(2_000)}`,
] as const;
const versions = ["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", "HTTP/1.1 ", "http/1.1", "HTTP/1", ""] as const;
const oddLines: readonly [Header, ...Header[]] = [
  ["", "no-colon-here"],
  ["", " folded: 1"],
  ["space ", "1"],
  ["a\0b", "1"],
  ["x", "1\n y: 2"],
  ["x", "1\0"],
  ["", ":"],
  ["x".repeat(20_000), "1"],
];

/** Sends the body in chunks. */
const chunked: Change = (draft, random) => {
  const chunks: string[] = [];
  const text = draft.body.toString("latin1");
  const hexLength = (part: string) => part.length.toString(16);
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + random.between(1, Math.max(1, text.length)));
    chunks.push(
      `${random.next() < 0.2 ? "000" : ""}${hexLength(part)}${random.next() < 0.1 ? ";name=value" : ""}\r\n${part}\r\n`,
    );
    at += part.length;
  }
  const trailer = random.next() < 0.2 ? "x-trailer: 1\r\n" : "";
  const body = Buffer.from(`${chunks.join("")}0\r\n${trailer}\r\n`, "latin1");
  return { ...draft, body, headers: [...without(draft, "content-length"), ["Transfer-Encoding", "chunked"]] };
};

const brokenChunks: Change = (draft, random) => {
  const body = chunked(draft, random).body.toString("latin1");
  const changed = random.pick([
    body.replace(/^[0-9a-f]+/, random.pick(["zz", "-1", "ffffffffffffffff", "7fffffff", "0"])),
    body.replace("\r\n", "\n"),
    body.slice(0, -random.between(1, Math.max(1, body.length))),
    body.replace(/^[0-9a-f]+/, (size) => `${size};${"x".repeat(20_000)}`),
  ]);
  return {
    ...inexact(draft, [...without(draft, "content-length"), ["Transfer-Encoding", "chunked"]]),
    body: Buffer.from(changed, "latin1"),
  };
};

const changes: readonly [Change, ...Change[]] = [
  // A header less, twice, in other letters, or with another value.
  (draft, random) => {
    const left = random.pick(nonEmpty(draft.headers));
    return {
      ...draft,
      headers: draft.headers.filter((header) => header !== left),
      exact: draft.exact && !isFraming(left),
    };
  },
  (draft, random) => {
    const twice = random.pick(nonEmpty(draft.headers));
    return { ...draft, headers: [...draft.headers, twice], exact: draft.exact && !isFraming(twice) };
  },
  (draft, random) => {
    const letters = random.next() < 0.5 ? (name: string) => name.toUpperCase() : (name: string) => name.toLowerCase();
    return { ...draft, headers: draft.headers.map(([name, value]) => [letters(name), value]) };
  },
  (draft, random) => withValue(draft, random, random.pick(oddValues)),
  (draft, random) => withValue(draft, random, random.pick(oddValues)),
  (draft, random) => inexact(draft, [...draft.headers, ["Host", random.pick(["evil.example", "127.0.0.1", ""])]]),
  (draft, random) =>
    inexact(draft, [
      ...without(draft, "host"),
      ["Host", random.pick(["evil.example", "", "[::1", "a b", "127.0.0.1:99999", "127.0.0.1@x"])],
    ]),
  (draft, random) => inexact(draft, [...without(draft, "content-length"), ["Content-Length", random.pick(lengths)]]),
  (draft, random) => {
    const wrong = Math.max(0, draft.body.length + random.pick([-20, -1, 1, 20, 100_000]));
    return inexact(draft, [...without(draft, "content-length"), ["Content-Length", String(wrong)]]);
  },
  (draft, random) => inexact(draft, [...draft.headers, ["Content-Length", String(random.between(0, 9))]]),
  (draft, random) =>
    inexact(draft, [
      ...draft.headers,
      ["Transfer-Encoding", random.pick(["chunked", "gzip", "identity", "chunked, chunked", "x"])],
    ]),
  (draft, random) => (draft.exact && draft.body.length > 0 && hasLength(draft) ? chunked(draft, random) : draft),
  (draft, random) => (draft.body.length > 0 ? brokenChunks(draft, random) : draft),
  (draft) => ({ ...draft, headers: [...draft.headers, ["Expect", "100-continue"]] }),
  (draft) => ({ ...draft, headers: [...draft.headers, ["Expect", "200-ok"]], exact: false }),
  (draft, random) =>
    inexact(draft, [
      ...draft.headers,
      ["Connection", "Upgrade"],
      ["Upgrade", random.pick(["websocket", "h2c", "HTTP/2.0"])],
    ]),
  (draft, random) => ({
    ...draft,
    headers: [...draft.headers, ["Content-Encoding", random.pick(["gzip", "br", "identity", "x"])]],
  }),
  (draft, random) => ({
    ...draft,
    headers: [...draft.headers, ["Origin", random.pick(["http://evil.example", "null", "", "http://127.0.0.1:1"])]],
  }),
  (draft, random) => ({
    ...draft,
    headers: [...draft.headers, ["X-Forwarded-For", random.pick(["127.0.0.1", "1.2.3.4, 5.6.7.8", "x", "::1"])]],
  }),
  (draft, random) => ({ ...draft, method: random.pick(odderMethods), exact: false }),
  (draft, random) => ({ ...draft, target: random.pick(targets), exact: false }),
  (draft, random) => ({ ...draft, version: random.pick(versions), exact: false }),
  (draft, random) => inexact(draft, [...draft.headers, random.pick(oddLines)]),
  (draft) => inexact(draft, [...draft.headers, ...Array.from({ length: 3_000 }, (_, at): Header => [`x-${at}`, "1"])]),
  (draft, random) => ({
    ...draft,
    headers: [...draft.headers, ["Accept-Language", "x".repeat(random.between(1, 12_000))]],
    exact: false,
  }),
];

function withValue(draft: HttpDraft, random: Random, value: string): HttpDraft {
  const changed = random.pick(nonEmpty(draft.headers));
  const headers = draft.headers.map((header): Header => (header === changed ? [header[0], value] : header));
  return { ...draft, headers, exact: draft.exact && !isFraming(changed) };
}

function hasLength({ headers }: HttpDraft): boolean {
  return headers.some(isNamed("content-length"));
}

function nonEmpty(headers: readonly Header[]): readonly [Header, ...Header[]] {
  const [first = ["x-none", "1"] as const, ...more] = headers;
  return [first, ...more];
}

/** Changes the head of a request, or how its body is framed. */
export function mutateHead(draft: HttpDraft, random: Random): HttpDraft {
  return random.pick(changes)(draft, random);
}

/** Changes bytes of a text, wherever it goes. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.between(0, bytes.length);
  const length = random.between(1, 1 + Math.min(64, bytes.length));
  const noise = () => Buffer.from(Array.from({ length }, () => random.between(0, 255)));
  const parts = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)] as const;
  const flipped = Buffer.from(bytes);
  if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.between(0, 7));
  const odd = ["\ufeff", "\u0000", "\ud83d", "}", "]", '"', "\\", ",", "\r", "\u2028", "//", "NaN", "  "] as const;
  return random.pick([
    flipped,
    flipped,
    Buffer.concat([parts[0], parts[2]]),
    Buffer.concat([parts[0], noise(), parts[1], parts[2]]),
    Buffer.concat([parts[0], noise(), parts[2]]),
    Buffer.concat([parts[0], parts[1], parts[1], parts[2]]),
    Buffer.concat([parts[0], Buffer.from(random.pick(odd)), parts[1], parts[2]]),
    parts[0],
    Buffer.concat([bytes, bytes]),
    Buffer.concat([Buffer.from("\ufeff"), bytes]),
    Buffer.from(bytes.toString("utf8"), "utf16le"),
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3]), bytes]),
  ]);
}
