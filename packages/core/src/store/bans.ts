import { ResumableError } from "../errors.js";
import { isOwner } from "../task/owner-tag.js";
import type { Documents, Instant } from "./store.js";

/** The kind of the documents that say who is banned; the id of each is an owner. */
const kind = "ban";
/** Bans that a store takes, and that a server knows. */
const maxBans = 10_000;
const counted = { group: "bans", max: maxBans, limit: "maxBans" };
const anyTimeMs = 8.64e15;

/**
 * Makes the owner that a ban names: a subject or a program of tokens, as lists show it, or the subject alone.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for an owner without a token, whom no ban keeps out.
 */
export function bannedOwner(subject: string): string {
  const owner = isOwner(subject) ? subject : `sub:${subject}`;
  if (/^(sub|user|app):./.test(owner)) return owner;
  throw new ResumableError(
    "INVALID_OPTION",
    `Only subjects and programs of tokens can be banned, such as sub:alice or app:robot, not ${owner}: who calls without a token takes another name.`,
    { details: { option: "subject" } },
  );
}

/**
 * Bans an owner, durably and for all processes of the store.
 *
 * @returns whether it was not banned before.
 * @throws {@link ResumableError} `LIMIT_EXCEEDED` beyond 10,000 bans.
 */
export async function putBan(
  documents: Pick<Documents, "getDocument" | "putDocument">,
  owner: string,
  now: Instant,
): Promise<boolean> {
  if ((await documents.getDocument(kind, owner)) !== undefined) return false;
  await documents.putDocument({ kind, id: owner, owner, value: {}, expectedVersion: 0, counted, now });
  return true;
}

/** Lifts a ban. @returns whether there was one. */
export async function removeBan(
  documents: Pick<Documents, "getDocument" | "deleteDocument">,
  owner: string,
): Promise<boolean> {
  if ((await documents.getDocument(kind, owner)) === undefined) return false;
  await documents.deleteDocument(kind, owner);
  return true;
}

/** Lists who is banned, and since when (ISO 8601 UTC), the first banned first. */
export async function listBans(
  documents: Pick<Documents, "listIdleDocuments">,
): Promise<readonly { readonly owner: string; readonly since: string }[]> {
  const found = await documents.listIdleDocuments({ kind, idleSinceMs: anyTimeMs, limit: maxBans });
  return found.map(({ owner, updatedAt }) => ({ owner, since: updatedAt }));
}
