/** What decides who may use a file, as `stat` gives it. */
export interface FileRights {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Says whether users of the machine to whom a file was not given can read or change it. On Windows, which has no such modes, none.
 *
 * A file of root that a group of this process may read, and not change, was given to it on purpose: so come secrets of
 * Kubernetes to a process that does not run as root, by `fsGroup`. A user's own file is closed to its group too: that may be
 * the group of all users.
 *
 * @param groups those of this process.
 */
export function othersRights(
  { mode, uid, gid }: FileRights,
  groups: readonly number[] = ownGroups(),
): { readonly read: boolean; readonly write: boolean } {
  if (process.platform === "win32") return { read: false, write: false };
  const isGiven = uid === 0 && groups.includes(gid);
  return { read: (mode & (isGiven ? 0o037 : 0o077)) !== 0, write: (mode & 0o022) !== 0 };
}

function ownGroups(): readonly number[] {
  return [...(process.getgroups?.() ?? []), ...(process.getegid === undefined ? [] : [process.getegid()])];
}
