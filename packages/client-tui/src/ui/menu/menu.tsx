import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { callLast } from "../form/task-forms.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, moveCursor, visibleRange } from "../keys/key-rules.js";
import { rowsOfList, useClicks } from "../keys/use-clicks.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";
import type { ScreenProps, ScreenSize } from "../navigation.js";
import { Entries } from "../parts/line.js";
import { shareColumns } from "../parts/task-columns.js";
import { TaskRow, useSameWidths } from "../parts/task-row.js";
import { places } from "../places.js";
import { useTheme } from "../theme.js";

/** One entry of a menu, reached by its key or by the cursor. */
export interface MenuItem {
  readonly key: string;
  /** A second key that does the same. */
  readonly letter?: string;
  readonly label: string;
}

/** What a key means in a menu: the key of an entry, or a text that no entry has. */
export type MenuOutcome =
  | { readonly type: "chosen"; readonly key: string }
  | { readonly type: "unknown"; readonly text: string };

/** Moves through a menu and says what was typed. */
export function reduceMenu(state: Cursor, key: KeyPress, items: readonly MenuItem[]): KeyStep<Cursor, MenuOutcome> {
  const { text } = key;
  // Letters are keys of entries.
  const cursor = moveCursor(state.cursor, { ...key, text: "" }, items.length);
  const named = items.find((item) => text !== "" && [item.key, item.letter].includes(text));
  const chosen = key.name === "enter" ? items[cursor] : named;
  if (chosen !== undefined)
    return { state: { cursor: items.indexOf(chosen) }, outcome: { type: "chosen", key: chosen.key } };
  return { state: { cursor }, outcome: text === "" ? undefined : { type: "unknown", text } };
}

/** A menu of entries with their keys; on a low screen it scrolls. */
export function Menu(
  props: ScreenSize & { readonly items: readonly MenuItem[]; readonly onOutcome: (outcome: MenuOutcome) => void },
): ReactNode {
  const { items, columns, rows, onOutcome } = props;
  const { accent } = useTheme();
  const clicks = useClicks();
  const { cursor } = useKeyState(
    (state, key) => reduceMenu(state, clicks.translate(key), items),
    { cursor: 0 },
    onOutcome,
  );
  clicks.drawn({ cursor, indexAt: rowsOfList(0, visibleRange(cursor, items.length, rows)) });
  const texts = items.map(({ key, label }) => `${key} ${label}`);
  return (
    <Box flexDirection="column">
      <Entries {...{ texts, cursor, columns, rows }} color={accent} />
    </Box>
  );
}

/** The keys of the menu. */
export const menuKeys = ["1-5 or Enter choose", ": commands", "Ctrl-C leave", "0 exit"];

const start: MenuItem = { key: "1", letter: "p", label: "process data: run the last tool" };
const exit: MenuItem = { key: "0", letter: "q", label: "exit" };
/** In the menu the number of the first place starts a job: its screen has a letter. */
const [tools, ...others] = places;
const screens = [{ ...tools, key: "t" }, ...others];

/** What the menu has, without what the embedding program adds before the last. */
export const menuItems: readonly MenuItem[] = [start, ...screens, exit];

/** An empty line and the title of the tasks. */
const frameRows = 2;

/** The menu, and under it the tasks that are not finished. */
export function MenuScreen(props: ScreenProps): ReactNode {
  const { unfinished, columns, rows, nowMs, extraActions, board, go, onExit } = props;
  const items = [start, ...screens, ...extraActions, exit];
  const onOutcome = (outcome: MenuOutcome) => {
    if (outcome.type === "unknown") return board.notice("info", unknownKeyText(outcome.text, items));
    if (outcome.key === start.key) return void board.attempt(() => callLast(props));
    const { screen } = screens.find(({ key }) => key === outcome.key) ?? {};
    const extra = extraActions.find(({ key }) => key === outcome.key);
    if (screen !== undefined) go({ type: "open", screen });
    else if (extra === undefined) onExit("quit");
    else void board.runExtra(extra.run);
  };
  const widths = useSameWidths(shareColumns(unfinished, columns));
  const shown = unfinished.slice(0, Math.max(0, rows - items.length - frameRows));
  const more = shown.length < unfinished.length ? "; 2 lists all" : "";
  return (
    <>
      <Menu {...{ items, columns, rows, onOutcome }} />
      {shown.length === 0 ? null : (
        <Box flexDirection="column" marginTop={1}>
          <Text bold>{`${unfinished.length} unfinished${more}`}</Text>
          {shown.map((task) => (
            <TaskRow key={task.info.id} {...{ task, widths, columns, nowMs }} />
          ))}
        </Box>
      )}
    </>
  );
}

function unknownKeyText(text: string, items: readonly MenuItem[]): string {
  return `"${text}" is not a key of the menu. Its keys are ${items.map(({ key }) => key).join(" ")}.`;
}
