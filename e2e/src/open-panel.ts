import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";
import type { HostOptions } from "./host/reference-host.js";
import type { ServedHost } from "./host/serve-host.js";
import type { PanelServer } from "./server/panel-server.js";

/** Where the panel's elements are found: a page of its own, or the inner frame of a host. */
export type PanelView = Pick<Page | FrameLocator, "getByRole" | "getByLabel" | "getByText" | "locator">;

/** An open panel, and what the browser noticed of it. */
export interface OpenPanel {
  readonly page: Page;
  readonly panel: PanelView;
  readonly noticed: Noticed;
}

/** What must not happen. Each list is oldest first. */
export interface Noticed {
  /** Exceptions that no code caught. */
  readonly errors: string[];
  /** What the policy refused. */
  readonly refused: string[];
  readonly dialogs: string[];
  /** Requests to addresses other than those of the host, its frame and the server. */
  readonly foreignRequests: string[];
}

/** How the page is shown. */
export type PageOptions = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "reducedMotion" | "locale">;

async function openPage(browser: Browser, origins: readonly string[], options: PageOptions) {
  const context = await browser.newContext({ viewport: { width: 900, height: 800 }, ...options });
  const page = await context.newPage();
  const noticed: Noticed = { errors: [], refused: [], dialogs: [], foreignRequests: [] };
  page.on("pageerror", (error) => noticed.errors.push(error.stack ?? error.message));
  await page.exposeBinding("noticeRefused", (_source, what: string) => noticed.refused.push(what));
  await page.addInitScript(() => {
    const { noticeRefused } = window as unknown as { readonly noticeRefused: (what: string) => void };
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      noticeRefused(`${violatedDirective} ${blockedURI}`);
    });
  });
  page.on("dialog", (dialog) => {
    noticed.dialogs.push(dialog.message());
    dialog.dismiss().catch(() => undefined);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.includes(origin)) noticed.foreignRequests.push(request.url());
  });
  return { page, noticed };
}

/** A host with a page open. */
export interface OpenHost extends OpenPanel {
  /** Loads the page once more, and connects: what a host does on reload. */
  reload(): Promise<void>;
}

/** Opens the page of the reference host and connects it to the server. */
export async function openHost(
  browser: Browser,
  host: ServedHost,
  server: PanelServer,
  options: Omit<HostOptions, "server" | "sandbox">,
  pageOptions: PageOptions = {},
): Promise<OpenHost> {
  const origins = [host.origin, new URL(host.sandbox).origin, server.origin];
  const { page, noticed } = await openPage(browser, origins, pageOptions);
  const connect = async (): Promise<void> => {
    await page.evaluate((given) => window.host.connect(given), {
      ...options,
      server: server.url,
      sandbox: host.sandbox,
    });
  };
  await page.goto(host.origin);
  await connect();
  return {
    page,
    noticed,
    panel: page.frameLocator("iframe").frameLocator("iframe"),
    reload: async () => {
      await page.reload();
      await connect();
    },
  };
}

/** Opens the panel that the server itself serves. */
export async function openUi(
  browser: Browser,
  server: PanelServer,
  pageOptions: PageOptions = {},
  path = "/ui",
  elsewhere: readonly string[] = [],
): Promise<OpenPanel> {
  const { page, noticed } = await openPage(browser, [server.origin, ...elsewhere], pageOptions);
  await page.goto(new URL(path, server.origin).href);
  return { page, noticed, panel: page };
}
