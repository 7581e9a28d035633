import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openBrowser } from "@resumable-mcp/browser";
import { harmlessText } from "@resumable-mcp/protocol/display";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { HostOptions } from "../src/host/reference-host.js";
import { type ServedHost, serveHost } from "../src/host/serve-host.js";
import {
  type Noticed,
  type OpenHost,
  type OpenPanel,
  openHost,
  openUi,
  type PageOptions,
  type PanelView,
} from "../src/open-panel.js";
import { type PanelServer, type PanelServerOptions, startPanelServer } from "../src/server/panel-server.js";

/** A browser and the pages of a host for the tests of a file. */
export interface Stage {
  /** A server that lets the host's page call it. */
  serve(options?: PanelServerOptions): Promise<PanelServer>;
  openHost(
    server: PanelServer,
    options: Omit<HostOptions, "server" | "sandbox">,
    page?: PageOptions,
  ): Promise<OpenHost>;
  /** @param elsewhere origins that the page may ask in addition to its server's. */
  openUi(server: PanelServer, page?: PageOptions, path?: string, elsewhere?: readonly string[]): Promise<OpenPanel>;
}

const nothing: Noticed = { errors: [], refused: [], dialogs: [], foreignRequests: [] };

/** Prepares it before the tests of a file. Each page that a test opens is closed after it, and has to have noticed nothing. */
export function prepareStage(): Stage {
  let browser: Browser;
  let host: ServedHost;
  beforeAll(async () => {
    [browser, host] = await Promise.all([openBrowser(), serveHost()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), host?.close()]);
  });
  const watched = <Opened extends OpenPanel>(opened: Opened): Opened => {
    onTestFinished(async () => {
      await opened.page.context().close();
      expect({ ...opened.noticed, reports: host.reports }).toEqual({ ...nothing, reports: [] });
    });
    return opened;
  };
  return {
    serve: async ({ flags = [], ...options } = {}) => {
      // A task waits for its caller: the panel of its call is one.
      const own = ["--allowed-origin", host.origin, "--recover-after", "never"];
      const server = await startPanelServer({
        ...options,
        flags: typeof flags === "function" ? async (origin) => [...own, ...(await flags(origin))] : [...own, ...flags],
      });
      onTestFinished(() => server.remove());
      return server;
    },
    openHost: async (server, options, page) => watched(await openHost(browser, host, server, options, page)),
    openUi: async (server, page, path, elsewhere) => watched(await openUi(browser, server, page, path, elsewhere)),
  };
}

/** The gate of the tools of this server. */
export function gateOf(server: PanelServer): string {
  return join(server.folder, "gate");
}

/** Lets tools go as far as this record. */
export async function openGate(server: PanelServer, record: number): Promise<void> {
  await writeFile(gateOf(server), String(record));
}

/** Waits until the panel shows this share of the only task's progress. */
export async function seesPercent({ panel }: { readonly panel: PanelView }, percent: number): Promise<void> {
  await expect.poll(() => panel.getByRole("progressbar").getAttribute("aria-valuenow")).toBe(String(percent));
}

/** The file that `count_archives` makes. */
export const archiveFile = {
  name: "März 2026 #1.bin",
  bytes: Uint8Array.from({ length: 100_000 }, (_, at) => at % 251),
};

/** What tools of the tests append up to a record. */
export function records(to: number): readonly { readonly record: number }[] {
  return Array.from({ length: to }, (_, index) => ({ record: index + 1 }));
}

/** The records that the part of the items shows. */
export async function shownRecords({ panel }: { readonly panel: PanelView }): Promise<ReturnType<typeof records>> {
  const texts = await panel.getByRole("tabpanel").getByRole("listitem").allTextContents();
  return texts.map((text) => ({ record: Number(/"?record"?: (\d+)/.exec(text)?.[1]) }));
}

/** What a text of a tool did, if it was more than a text. */
export async function done(page: Page): Promise<readonly string[]> {
  const frames = await Promise.all(
    page.frames().map((frame) =>
      frame.evaluate(() => ({
        ran: "__canary" in window,
        markup:
          document.querySelectorAll("main :is(script, img, iframe, base, link, style), [href^=javascript]").length > 0,
        text: document.querySelector("main")?.textContent ?? "",
      })),
    ),
  );
  const turned = frames.some(
    ({ text }) => harmlessText(text.replaceAll(/[\n\t]/g, " ")) !== text.replaceAll(/[\n\t]/g, " "),
  );
  return [
    ...(frames.some(({ ran }) => ran) ? ["a script ran"] : []),
    ...(frames.some(({ markup }) => markup) ? ["markup became elements"] : []),
    ...(turned ? ["a control character is shown"] : []),
  ];
}
