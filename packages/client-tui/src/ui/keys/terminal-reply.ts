/** What is behind the text of a terminal. */
export type Background = "dark" | "light";

/** Asks a terminal for the colour of its background (OSC 11); one that does not know the question stays silent. */
export const askBackground = "\u001b]11;?\u001b\\";

const begins = "11;rgb:";
/** A reply is shorter than this. */
const maxReplyCharacters = 64;

/** The reply that is coming in; `undefined` between replies. */
export type ReplyState = string | undefined;

/** What became of a piece of input: part of a reply, which it may complete, or `undefined` where it is something else. */
export type ReplyStep = { readonly state: ReplyState; readonly background?: Background } | undefined;

/**
 * Gathers the reply to {@link askBackground}, which comes among the keys: `11;rgb:1e1e/1e1e/2e2e` after `]`.
 *
 * Limits: 64 characters; what cannot be the reply is a key again. So is a single character at its beginning: a user types it.
 */
export function takeReply(state: ReplyState, input: string, meta: boolean): ReplyStep {
  if (state === undefined) return meta && input === "]" ? { state: "" } : undefined;
  if (state === "" && input.length < 2) return undefined;
  const text = meta && input === "\\" ? `${state}\u0007` : state + input;
  if (!begins.startsWith(text.slice(0, begins.length)) || text.length > maxReplyCharacters) return undefined;
  if (!text.endsWith("\u0007")) return { state: text };
  return { state: undefined, background: backgroundOf(text.slice(begins.length, -1)) };
}

/** Light where the weighted sum of red, green and blue is more than half. */
function backgroundOf(rgb: string): Background | undefined {
  const parts = rgb.split("/").map((hex) => Number.parseInt(hex, 16) / (16 ** hex.length - 1));
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = parts;
  const light = 0.299 * red + 0.587 * green + 0.114 * blue;
  return Number.isNaN(light) ? undefined : light > 0.5 ? "light" : "dark";
}

/** What the variable `COLORFGBG` says, such as `0;15`: its last number is the background, 7 and 15 are light. */
export function backgroundFromEnvironment({ COLORFGBG }: NodeJS.ProcessEnv): Background | undefined {
  const last = COLORFGBG?.split(";").at(-1);
  if (last === undefined || !/^\d+$/.test(last)) return undefined;
  return last === "7" || last === "15" ? "light" : "dark";
}
