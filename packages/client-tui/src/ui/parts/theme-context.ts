import { createContext, useContext } from "react";
import { createTheme, type Theme } from "./theme.js";

/** The theme of the screens below. */
export const ThemeContext = createContext<Theme>(createTheme({ colors: true }));

/** Reads the theme. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
