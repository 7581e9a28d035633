/** The version of every package of the fixed group in `.changeset/config.json`. */
export function releaseVersion(): string;
