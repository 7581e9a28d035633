/**
 * Locates `apps/demo/data`, with a slash at its end, from the URL of a module of the demo.
 *
 * A module is either a source file in `src/data` or a bundle directly in `dist`; the two lie at different depths.
 */
export function dataFolder(moduleUrl: string): URL {
  const isSource = new URL(".", moduleUrl).pathname.endsWith("/src/data/");
  return new URL(isSource ? "../../data/" : "../data/", moduleUrl);
}
