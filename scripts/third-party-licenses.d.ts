import type { Options } from "tsup";

export function writeThirdPartyLicenses(file: string): NonNullable<Options["esbuildPlugins"]>[number];
