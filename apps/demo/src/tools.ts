import { fileURLToPath } from "node:url";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { dataFolder } from "./data/dataset.js";
import { openMeteo } from "./data/open-meteo.js";
import { isPublicAddress } from "./download/public-address.js";
import { packageVersion } from "./package-version.js";
import { createDataProcessing } from "./tools/data-processing.js";
import { createDownload } from "./tools/download.js";
import { createForecast } from "./tools/forecast.js";
import { createTraining } from "./tools/training.js";

const now = (): Date => new Date();
const downloads = process.env.RESUMABLE_MCP_DEMO_DOWNLOADS;

/** The demo's tools, for the command-line servers. */
export default defineServer({
  name: "resumable-mcp-demo",
  version: packageVersion,
  controlTools: "all",
  tools: [
    createDataProcessing({ now }),
    createDownload({
      folder: downloads ?? fileURLToPath(new URL("downloads/", dataFolder(import.meta.url))),
      maxFileBytes: 1024 ** 3,
      mayReach: process.env.RESUMABLE_MCP_DEMO_PRIVATE_DOWNLOADS === "1" ? () => true : isPublicAddress,
    }),
    createTraining(),
    createForecast({
      now,
      delayMs: 6_000,
      online: process.env.RESUMABLE_MCP_DEMO_ONLINE === "1" ? openMeteo : undefined,
    }),
  ],
});
