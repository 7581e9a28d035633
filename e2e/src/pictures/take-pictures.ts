// Writes a picture of each state of the panel: `npm run pictures -- FOLDER [light|dark] [WIDTH]`. docs/panel.md shows some of them.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openBrowser } from "@resumable-mcp/browser";
import { serveHost } from "../host/serve-host.js";
import { makeStates } from "../look/panel-states.js";
import { openHost, openUi } from "../open-panel.js";
import { startPanelServer } from "../server/panel-server.js";

const [folder = "pictures", scheme = "light", width = "900"] = process.argv.slice(2);
const colorScheme = scheme === "dark" ? "dark" : "light";
const shown = { colorScheme, reducedMotion: "reduce", viewport: { width: Number(width), height: 600 } } as const;

await mkdir(folder, { recursive: true });
const [browser, host] = await Promise.all([openBrowser(), serveHost()]);
const server = await startPanelServer({ flags: ["--ui", "--recover-after", "now", "--allowed-origin", host.origin] });
const gate = join(server.folder, "gate");
await writeFile(gate, "25");
try {
  const states = await makeStates(server, gate);
  const { page, panel } = await openUi(browser, server, shown);
  for (const { name, path, shows } of states) {
    await page.goto(new URL(path, server.origin).href);
    await panel.getByText(shows).first().waitFor();
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
  }
  const inHost = await openHost(browser, host, server, { revision: "2026-07-28", theme: colorScheme }, shown);
  await inHost.page.evaluate((file) => window.host.callAndShow("count_records", { to: 50, gate: file }), gate);
  await inHost.panel.getByRole("progressbar").waitFor();
  await inHost.page.locator("iframe").screenshot({ path: join(folder, `host-${colorScheme}-${width}.png`) });
  await server.kill();
  await inHost.panel
    .getByText(/reconnecting/i)
    .first()
    .waitFor();
  await inHost.page.locator("iframe").screenshot({ path: join(folder, `reconnecting-${colorScheme}-${width}.png`) });
  await server.start();
  await inHost.panel
    .getByText(/attempt 2/)
    .first()
    .waitFor();
  await inHost.page.locator("iframe").screenshot({ path: join(folder, `recovered-${colorScheme}-${width}.png`) });
} finally {
  await Promise.all([browser.close(), host.close(), server.remove()]);
}
