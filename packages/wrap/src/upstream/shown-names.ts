/** Names that one of several servers lists. */
export interface ListedNames {
  /** Names the server. */
  readonly key: string;
  readonly names: readonly string[];
}

/**
 * How callers see what several servers list: a name that more than one has gets each server's own before it. Pure.
 *
 * @returns by server, in order, for each of its names the one that callers see. No two are the same.
 */
export function shownNames(servers: readonly ListedNames[]): readonly ReadonlyMap<string, string>[] {
  const counts = new Map<string, number>();
  for (const { names } of servers) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(counts.keys());
  const prefixed = (key: string, name: string): string => {
    const prefix = `${key.replace(/[^\w-]+/g, "-")}_`;
    let free = `${prefix}${name}`;
    while (taken.has(free)) free = `${prefix}${free}`;
    taken.add(free);
    return free;
  };
  const shown = (key: string, name: string) => (counts.get(name) === 1 ? name : prefixed(key, name));
  return servers.map(({ key, names }) => new Map([...new Set(names)].map((name) => [name, shown(key, name)])));
}
