import { useInput } from "ink";
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useRef } from "react";
import { type KeyPress, type PasteState, takePaste, toKeyPresses } from "./key-press.js";
import { type Background, type ReplyState, takeReply } from "./terminal-reply.js";

/** Hears keys; returns whether the screen changes, so that what was typed behind it is not meant for it. */
export type KeyListener = (press: KeyPress) => boolean;

type Listen = (listener: KeyListener) => () => void;

const ListenContext = createContext<Listen>(() => () => {});

/**
 * Hears the keyboard for all screens below it.
 *
 * Ink subscribes a component after its first frame is on the terminal: a key that comes at once would be lost. Here the
 * one subscription stays, and a screen takes over the keys in the moment in which it is made.
 */
export function KeyProvider(props: {
  readonly onPress?: KeyListener;
  /** Hears what is behind the text of the terminal. */
  readonly onBackground?: ((background: Background) => void) | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const { onPress, onBackground, children } = props;
  const reply = useRef<ReplyState>(undefined);
  const listener = useRef<KeyListener | undefined>(undefined);
  const paste = useRef<PasteState>(undefined);
  const listen = useCallback((next: KeyListener) => {
    listener.current = next;
    return () => {
      if (listener.current === next) listener.current = undefined;
    };
  }, []);
  useInput((input, key) => {
    const replied = takeReply(reply.current, input, key.meta);
    reply.current = replied?.state;
    if (replied !== undefined) {
      if (replied.background !== undefined) onBackground?.(replied.background);
      return;
    }
    const pasted = takePaste(paste.current, input);
    if (pasted !== undefined) {
      paste.current = pasted.state;
      if (pasted.press !== undefined) listener.current?.(pasted.press);
      return;
    }
    for (const press of toKeyPresses(input, key)) {
      if (onPress?.(press) === true || listener.current?.(press) === true) return;
    }
  });
  return <ListenContext value={listen}>{children}</ListenContext>;
}

/** Hears keys while the component is on the screen. */
export function useKeys(listener: KeyListener): void {
  const listen = useContext(ListenContext);
  useLayoutEffect(() => listen(listener), [listen, listener]);
}

/** Hears nothing but Ctrl-C. */
export function InterruptOnly(props: {
  readonly onInterrupt: () => void;
  readonly onBackground?: ((background: Background) => void) | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const onPress = ({ name }: KeyPress) => {
    if (name === "interrupt") props.onInterrupt();
    return true;
  };
  return (
    <KeyProvider onPress={onPress} onBackground={props.onBackground}>
      {props.children}
    </KeyProvider>
  );
}
