import { useEffect, useState } from "react";
import { errorMessage } from "../../json.js";

/** What a screen asks for when it is opened. */
export type Loaded<T> =
  | { readonly name: "asking" }
  | { readonly name: "there"; readonly value: T }
  | { readonly name: "failed"; readonly problem: string };

/** Loads a value once, when its screen is opened; what went wrong stands where the value would. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ name: "asking" });
  useEffect(() => {
    load().then(
      (value) => setLoaded({ name: "there", value }),
      (error: unknown) => setLoaded({ name: "failed", problem: errorMessage(error) }),
    );
  }, []);
  return loaded;
}
