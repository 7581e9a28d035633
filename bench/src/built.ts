/** The address of a built program of this package: the same for the built code and for tests, which run the source. */
export function built(program: string): URL {
  return new URL(program, import.meta.url.replace(/^(.*)\/(?:src|dist)\/.*$/, "$1/dist/"));
}
