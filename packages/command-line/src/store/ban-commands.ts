import {
  bannedOwner,
  listBans,
  putBan,
  removeBan,
  type StoreAdmin,
  type StoreWriting,
} from "@resumable-mcp/core/store";
import type { CommandResult } from "./command.js";

/** Bans a subject: servers refuse it within seconds, and cancel its tasks. */
export async function banCommand(writing: StoreWriting, subject: string): Promise<CommandResult> {
  const owner = bannedOwner(subject);
  const isNew = await putBan(writing, owner, { wallMs: Date.now(), monotonicMs: performance.now() });
  const text = isNew
    ? `${owner} is banned. Servers refuse its requests within seconds, and cancel its unfinished tasks.`
    : `${owner} is banned already.`;
  return { json: { owner, banned: true, changed: isNew }, lines: [text], ok: true };
}

/** Lifts a ban. Tasks that were cancelled stay so. */
export async function unbanCommand(writing: StoreWriting, subject: string): Promise<CommandResult> {
  const owner = bannedOwner(subject);
  const changed = await removeBan(writing, owner);
  const text = changed
    ? `${owner} is not banned any more. Its cancelled tasks stay cancelled.`
    : `${owner} was not banned.`;
  return { json: { owner, banned: false, changed }, lines: [text], ok: true };
}

/** Lists who is banned. */
export async function bansCommand({ place, reading }: StoreAdmin): Promise<CommandResult> {
  const bans = await listBans(reading);
  const lines = bans.map(({ owner, since }) => `${since}  ${owner}`);
  return { json: { store: place, bans }, lines: lines.length === 0 ? ["no bans"] : lines, ok: true };
}
