const kinds = ["sub", "user", "app", "client", "session", "local"] as const;

/** Makes an owner's tag. The kind is never taken from what a client says of itself. */
export function ownerTag(kind: (typeof kinds)[number], id: string): string {
  return `${kind}:${id}`;
}

const tagged = new RegExp(`^(${kinds.join("|")}):.`);

/** Whether a text is an owner: a kind and an id. */
export function isOwner(text: string): boolean {
  return tagged.test(text);
}
