import type { ReactNode } from "react";
import { lineText } from "../../model/bounded.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";

/** What the user should know, until it is dismissed. */
export function Notices(): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const notice = usePanelState((state) => state.notice);
  if (notice === undefined) return null;
  return (
    <div className="banner" data-kind={notice.kind} role={notice.kind === "error" ? "alert" : undefined}>
      <p>{lineText(notice.text, 1_000)}</p>
      <button type="button" onClick={() => model.dismiss()}>
        {texts.dismiss}
      </button>
    </div>
  );
}
