/** The version that tests run on in addition to the oldest one that is supported, as npm names it. */
export const newerNode: string;
/** Where its program is; the first call brings it from the registry. */
export function pathOfNewerNode(): Promise<string>;
