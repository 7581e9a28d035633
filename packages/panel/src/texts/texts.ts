import { createContext, useContext } from "react";
import type { Texts } from "./catalogue.js";
import { english } from "./english.js";
import { german } from "./german.js";

export type { Texts };

const catalogues: readonly Texts[] = [english, german];

/** The catalogue for a language (BCP 47); English where there is none. */
export function textsFor(locale: string | undefined): Texts {
  const language = locale?.toLowerCase().split("-")[0];
  return catalogues.find((texts) => texts.language === language) ?? english;
}

/** The catalogue of the views below it. */
export const TextsContext = createContext<Texts>(english);

/** The texts of the present language. */
export function useTexts(): Texts {
  return useContext(TextsContext);
}
