import type { Options } from "tsup";

export function writeThirdPartyLicenses(file: string): NonNullable<Options["esbuildPlugins"]>[number];

/** The licences of the packages to which some files belong, as one text. */
export function thirdPartyLicenses(files: readonly string[]): Promise<string>;
