import { createContext, useContext, useLayoutEffect } from "react";

/** What a screen says at its bottom: the keys that work now, and the task that they mean. */
export interface Footer {
  readonly keys: readonly string[];
  readonly taskId?: string | undefined;
}

/** Takes what the present screen says; `undefined` when it is left. */
export const FooterContext = createContext<(footer: Footer | undefined) => void>(() => {});

/** Shows keys at the bottom in place of those of the screen's table: what works depends on the task at the cursor. */
export function useFooter({ keys, taskId }: Footer): void {
  const show = useContext(FooterContext);
  const text = keys.join("\n");
  useLayoutEffect(() => {
    show({ keys: text.split("\n"), taskId });
    return () => show(undefined);
  }, [show, text, taskId]);
}
