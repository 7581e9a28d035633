import { isJsonObject, type Json } from "@resumable-mcp/protocol";
import type { ReactNode } from "react";
import { useTexts } from "../../texts/texts.js";
import { usePanelState } from "../panel-context.js";
import { JsonTree } from "../parts/json-tree.js";

const parts = ["server", "replicas", "versions", "store"] as const;

/** What operators see of a server: its processes, the versions of its tools, its store. */
export function ServerView(): ReactNode {
  const texts = useTexts();
  const server = usePanelState((state) => state.server);
  if (server === undefined) return <p className="empty">{texts.loading}</p>;
  if (server === "denied") return <p className="empty">{texts.operatorsOnly}</p>;
  return (
    <article className="server" aria-labelledby="server-name">
      <h1 id="server-name">{texts.thisServer}</h1>
      {parts.map((part) =>
        hasContent(server[part]) ? (
          <section key={part}>
            <h2>{texts.serverParts[part]}</h2>
            <JsonTree value={server[part] ?? null} />
          </section>
        ) : null,
      )}
    </article>
  );
}

function hasContent(value: Json | undefined): boolean {
  return (
    value !== undefined &&
    (Array.isArray(value) ? value.length > 0 : !isJsonObject(value) || Object.keys(value).length > 0)
  );
}
