import {
  isFinal,
  isJsonObject,
  type Json,
  JsonFields,
  type JsonObject,
  type TaskStatus,
} from "@resumable-mcp/protocol";
import { formatDuration } from "@resumable-mcp/protocol/display";
import type { ReactNode } from "react";
import { lineText, valueLine } from "../../model/bounded.js";
import type { Texts } from "../../texts/texts.js";
import { useTexts } from "../../texts/texts.js";
import { usePanelState } from "../panel-context.js";
import { bytesText } from "../parts/bytes-text.js";
import { Empty } from "../parts/empty.js";
import { useNow } from "../parts/use-now.js";

/** Characters of one cell. */
const maxCell = 120;
/** Rows of one table that are drawn. */
const maxRows = 200;

/** What operators see of a server: its processes, the versions of its tools, its store. */
export function ServerView(): ReactNode {
  const texts = useTexts();
  const answer = usePanelState((state) => state.server);
  const nowMs = useNow();
  if (answer === undefined) return <Empty title={texts.loading} />;
  if (answer === "denied") return <Empty title={texts.operatorsOnly} />;
  const server = JsonFields.of(answer.server);
  const store = JsonFields.of(answer.store);
  const startedAt = server?.text("started_at");
  const facts: readonly (readonly [string, string | undefined])[] = [
    [texts.serverFields.version, server?.text("version")],
    [texts.serverFields.started_at, startedAt && formatDuration(nowMs - Date.parse(startedAt))],
    [texts.serverFields.processes, numberText(answer.processes)],
    [texts.serverFields.unfinished, store?.number("unfinished")?.toString()],
  ];
  return (
    <article className="server" aria-labelledby="server-name">
      <div className="card">
        <h1 id="server-name">{lineText(server?.text("name") ?? texts.thisServer)}</h1>
        <dl className="server-facts">
          {facts.map(([name, text]) =>
            text === undefined ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{lineText(text)}</dd>
              </div>
            ),
          )}
        </dl>
        <ByStatus counts={store?.object("by_status") ?? {}} />
      </div>
      <Table title={texts.serverParts.quotas} rows={store?.list("quotas") ?? []} />
      <Table title={texts.serverParts.replicas} rows={listOf(answer.replicas)} />
      <Table title={texts.serverParts.versions} rows={listOf(answer.versions)} />
      <Table title={texts.serverParts.tools} rows={server?.list("tools") ?? []} />
    </article>
  );
}

/** How many tasks of the whole store there are of each unfinished status. */
function ByStatus({ counts }: { readonly counts: JsonObject }): ReactNode {
  const { status: words } = useTexts();
  return (
    <ul className="statistics">
      {Object.entries(counts).map(([status, count]) =>
        isStatus(status, words) && !isFinal(status) ? (
          <li key={status} data-status={status} data-none={count === 0 ? "" : undefined}>
            <span className="statistic">{numberText(count)}</span> {words[status]}
          </li>
        ) : null,
      )}
    </ul>
  );
}

function isStatus(name: string, words: Texts["status"]): name is TaskStatus {
  return Object.hasOwn(words, name);
}

/** Rows of one kind; the columns are what the first of them has, in its order. */
function Table({ title, rows }: { readonly title: string; readonly rows: readonly Json[] }): ReactNode {
  const texts = useTexts();
  const objects = rows.filter(isJsonObject);
  const columns = [...new Set(objects.slice(0, maxRows).flatMap((row) => Object.keys(row)))].slice(0, 8);
  if (objects.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled by keys. */}
      <div className="table" role="region" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {columnTitle(column, texts)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {objects.slice(0, maxRows).map((row) => (
              <tr key={JSON.stringify(row)}>
                {columns.map((column) => (
                  <td key={column} data-number={typeof row[column] === "number" || undefined}>
                    {cellText(row, column, texts)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {objects.length > maxRows && <p className="muted">… {texts.more(objects.length - maxRows)}</p>}
    </section>
  );
}

/** A column that a newer server has is called as the server calls it. */
function columnTitle(column: string, { serverFields }: Texts): string {
  const titles: Readonly<Record<string, string>> = serverFields;
  return Object.hasOwn(titles, column) ? (titles[column] ?? column) : lineText(column, 40);
}

function cellText(row: JsonObject, column: string, texts: Texts): string {
  const value = row[column];
  if (value === undefined) return "–";
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number" && String(row.quota).endsWith("Bytes")) return bytesText(value);
  if (typeof value === "number") return numberText(value) ?? "";
  return isJsonObject(value) ? pairsText(value) : valueLine(value, maxCell);
}

/** The entries of an object on one line: `count_words 1.2.0, zip 3`. */
function pairsText(value: JsonObject): string {
  const pairs = Object.entries(value).slice(0, maxRows);
  return lineText(
    pairs.map(([name, entry]) => `${lineText(name, maxCell)} ${valueLine(entry, maxCell)}`).join(", "),
    maxCell,
  );
}

function numberText(value: Json | undefined): string | undefined {
  return typeof value === "number" ? value.toLocaleString("en").replaceAll(",", " ") : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  const values: unknown = value;
  return Array.isArray(values) ? values : [];
}
