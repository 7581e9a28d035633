import { createMemoryStore } from "@resumable-mcp/core";
import { serve } from "@resumable-mcp/server-http";
import { expect, test } from "vitest";
import server from "./tools.js";

const schemaOf = (name: string) => server.tools.find((tool) => tool.name === name)?.inputJsonSchema;

test("offers the four tools under the names that clients know", () => {
  expect(server.tools.map((tool) => tool.name)).toEqual([
    "resumable_data_processing",
    "large_file_download",
    "machine_learning_training",
    "get_forecast",
  ]);
});

test("advertises every argument with its default, so that none has to be given", () => {
  expect(schemaOf("resumable_data_processing")).toMatchObject({
    properties: {
      dataset_name: { type: "string", default: "default_dataset" },
      total_records: { type: "integer", default: 100, minimum: 1 },
      batch_size: { type: "integer", default: 10, minimum: 1 },
      delay_ms: { type: "integer", default: 1_000 },
    },
    additionalProperties: false,
  });
  expect(schemaOf("resumable_data_processing")).not.toHaveProperty("required");
  expect(schemaOf("large_file_download")).toMatchObject({ required: ["url"] });
  expect(schemaOf("get_forecast")).toMatchObject({ required: ["city"] });
});

test("explains to a client once what the server is for", async () => {
  const { url, close } = await serve({ definition: server, store: createMemoryStore(), port: 0 });
  try {
    const answer = await fetch(url, { method: "POST", headers: initializeHeaders, body: JSON.stringify(initialize) });
    expect((await answer.text()).match(/Long tools of this server save their progress/g)).toHaveLength(1);
  } finally {
    await close();
  }
});

const initializeHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stock", version: "1" } },
};
