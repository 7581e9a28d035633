import { isJsonObject, type Json, type JsonObject } from "../json.js";
import { fixedLimits } from "../limits.js";
import type { Tool } from "./tool.js";

/**
 * Names one task of a tool for its owner: what the tool's `label` says, or else the first short texts among the arguments.
 *
 * It goes where the arguments go, and nowhere else: into the journal and the owner's own views, sealed where the store is
 * encrypted. No log line, metric or span has it.
 *
 * Limits: one line of `maxLabelLength` characters, without control characters and those that change the direction of text.
 * `undefined`: no name. A `label` that throws, or gives something else than a text, gives none.
 *
 * @param parsed the arguments as the tool gets them; `raw`: as the caller sent them.
 */
export function makeLabel(
  tool: Pick<Tool, "label" | "inputJsonSchema">,
  parsed: unknown,
  raw: Json,
): string | undefined {
  return shortLine(tool.label === undefined ? labelOfArguments(raw, tool.inputJsonSchema) : given(tool.label, parsed));
}

function given(label: (input: unknown) => unknown, input: unknown): string {
  try {
    const text = label(input);
    // An async function is a mistake, and must not end the process.
    if (text instanceof Promise) text.catch(() => {});
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

function labelOfArguments(input: Json, schema: JsonObject): string {
  if (!isJsonObject(input)) return "";
  const texts: string[] = [];
  for (const [name, value] of Object.entries(input).slice(0, mostArguments)) {
    if (texts.length === mostTexts) break;
    if (typeof value !== "string" || value.length > longestText) continue;
    if (isSecretName(name) || isMarkedSecret(schema, name)) continue;
    const text = withoutQueries(value).trim();
    if (text !== "" && !secretValues.some((form) => form.test(text))) texts.push(text);
  }
  return texts.join(", ");
}

/** Arguments that are looked at, texts of them that are taken, and how long such a text may be. */
const mostArguments = 32;
const mostTexts = 2;
const longestText = 80;

/** Words of which names of secrets are made: `apiKey` has two, `user_pin` too. */
const secretWord =
  /^(pass|pwd|pins?|otp|ssn|iban|cvv|cvc|cards?|jwt|sid|auth|(api|access|private|secret)?keys?)$|^auth(ent|oriz)|pass(word|phrase|code|wd)|secret|token|credential|bearer|cookie|signature|private|session/;

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => secretWord.test(word)) || /client_?id|account_?n/i.test(name);
}

/** What looks like a key, a token or the number of a card, or like a text that has one. */
const secretValues: readonly RegExp[] = [
  /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+=~-]{20,}$/,
  /^(?=.*\d)[A-Za-z0-9]{24,}$/,
  /^[\d -]{12,}$/,
  /^(([sprw]k|xox[a-z])[-_]|gh[a-z]_|eyJ|AKIA)[\w-]{8}/,
  /^(bearer|basic) \S{8,}$/i,
  /\bbearer \S{6,}|\bauthorization:/i,
  /(pass(word|wd|phrase|code)?|pwd|secret|token|credentials?|api[-_ ]?key|[-_]key)["']? ?[=:]/i,
  /[^\s:/]+:[^\s/]+@\S/,
];

/** The author says that it is one: as OpenAPI and JSON Schema do. */
function isMarkedSecret({ properties }: JsonObject, name: string): boolean {
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(property) && (property.format === "password" || property.writeOnly === true);
}

/** Of an address, who signs in and what is asked for may be secrets. */
function withoutQueries(text: string): string {
  const stripped = (url: string) => url.replace(/[?#].*$/s, "").replace(/^([^/]*:\/\/)[^/]*@/, "$1");
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, stripped);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

function shortLine(text: string): string | undefined {
  // Cut first: what is thrown away need not be cleaned.
  const line = text
    .slice(0, 4 * fixedLimits.maxLabelLength)
    .replace(unseen, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  if (line === "") return undefined;
  const characters = Array.from(line);
  if (characters.length <= fixedLimits.maxLabelLength) return line;
  return `${characters
    .slice(0, fixedLimits.maxLabelLength - 1)
    .join("")
    .trimEnd()}…`;
}
