import leven from "leven";

/** More changes than this make another word. */
const maxDistance = 2;

/** What a user may have meant, and where all commands are listed; begins with a space. Pure. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: leven(word, name) }))
    .filter(({ name, distance }) => distance <= maxDistance && distance < name.length)
    .sort((one, other) => one.distance - other.distance);
  const [first] = near;
  const nearest = near.filter(({ distance }) => distance === first?.distance).map(({ name }) => name);
  const meant = nearest.length === 0 ? "" : ` Did you mean ${nearest.join(" or ")}?`;
  return `${meant} "resumable-mcp help" lists the commands.`;
}
