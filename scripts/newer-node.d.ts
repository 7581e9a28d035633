/** The version that tests run on beside the oldest one that is supported, as npm names it. */
export const newerNode: string;
/** Where its program is; the first call brings it from the registry. */
export function pathOfNewerNode(): Promise<string>;
