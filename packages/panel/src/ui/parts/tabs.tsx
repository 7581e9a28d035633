import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";

/** One part of a view. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** How much there is in it. */
  readonly count?: number;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly children: ReactNode;
}

/** Parts of which one is shown. Source: WAI-ARIA Authoring Practices, "Tabs". */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>): ReactNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = list;
    const tab = current?.querySelector<HTMLElement>(`[data-tab="${chosen}"]`);
    if (current === null || tab === null || tab === undefined) return;
    // On a narrow screen the chosen one is seen; the page itself stays where it is.
    const isSeen = tab.offsetLeft >= current.scrollLeft && endOf(tab) <= current.scrollLeft + current.clientWidth;
    if (!isSeen) current.scrollLeft = endOf(tab) - current.clientWidth;
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const to = targetOf(
      event.key,
      tabs.findIndex(({ name }) => name === chosen),
      tabs.length,
    );
    const tab = to === undefined ? undefined : tabs[to];
    if (tab === undefined || to === undefined) return;
    event.preventDefault();
    onChoose(tab.name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name, label: text, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            data-tab={name}
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
            {count !== undefined && count > 0 && <span className="count">{count}</span>}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without a control of its own is scrolled by keys. */}
      <div className="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </>
  );
}

function endOf({ offsetLeft, offsetWidth }: HTMLElement): number {
  return offsetLeft + offsetWidth;
}

/** Where a key leads among tabs. */
function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
