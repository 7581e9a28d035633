import { openBrowser } from "@resumable-mcp/browser";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { HostOptions } from "../src/host/reference-host.js";
import { type ServedHost, serveHost } from "../src/host/serve-host.js";
import { type Noticed, type OpenHost, type OpenPanel, openHost, type PageOptions } from "../src/open-panel.js";
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
      const server = await startPanelServer({ ...options, flags: ["--allowed-origin", host.origin, ...flags] });
      onTestFinished(() => server.remove());
      return server;
    },
    openHost: async (server, options, page) => watched(await openHost(browser, host, server, options, page)),
  };
}
