import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../../texts/texts.js";

/** What is asked before something is done that cannot be undone. */
export interface ConfirmProps {
  readonly text: string;
  /** What the button says that does it. */
  readonly label: string;
  readonly onDone: (confirmed: boolean) => void;
}

/** Asks; Escape and the other button do nothing. */
export function Confirm({ text, label, onDone }: ConfirmProps): ReactNode {
  const texts = useTexts();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby={id} onClose={() => onDone(false)}>
      <p id={id}>{text}</p>
      <div className="actions">
        <button type="button" onClick={() => onDone(false)}>
          {texts.keep}
        </button>
        <button type="button" className="strong" onClick={() => onDone(true)}>
          {label}
        </button>
      </div>
    </dialog>
  );
}
