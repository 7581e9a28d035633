import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/** The frame of the panel: the innermost one of a host's page, or the page itself. */
export function panelFrame(page: Page): Frame {
  return page.frames().at(-1) ?? page.mainFrame();
}

/** What axe finds wrong in a document, a line each: the rule, and the elements that break it. */
export async function findViolations(frame: Frame): Promise<readonly string[]> {
  await frame.evaluate(axe.source);
  const found = await frame.evaluate(async () => {
    const { axe } = window as unknown as { readonly axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      targets: nodes.map(({ target }) => target.join(" ")),
    }));
  });
  return found.map(({ id, help, targets }) => `${id}: ${help}: ${targets.join(", ")}`);
}

/** How many pixels a document is wider than its window. */
export function overflowOf(frame: Frame): Promise<number> {
  return frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
