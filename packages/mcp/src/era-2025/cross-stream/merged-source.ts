import type { TextSource } from "../../http/http-answer.js";

/** Several sources as one, which ends with the last of them. */
export function mergedSource(sources: readonly TextSource[]): TextSource {
  return {
    get ended() {
      return sources.every(({ ended }) => ended);
    },
    take(maxBytes) {
      for (const source of sources) {
        const taken = source.take(maxBytes);
        if (taken.text !== "") return taken;
      }
      return { text: "" };
    },
    follow(onMore) {
      for (const source of sources) source.follow(onMore);
    },
    cancel() {
      for (const source of sources) source.cancel();
    },
  };
}

/** A source whose events are seen as they are taken. */
export function watchedSource(source: TextSource, onEvent: (event: string) => void): TextSource {
  return {
    get ended() {
      return source.ended;
    },
    take(maxBytes) {
      const taken = source.take(maxBytes);
      // A stream writes whole events, and gives whole pieces of what was written.
      for (const event of taken.text.split("\n\n")) if (event !== "") onEvent(event);
      return taken;
    },
    follow: (onMore) => source.follow(onMore),
    cancel: () => source.cancel(),
  };
}
