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
  expect(server.instructions).toBe("MCP server with resumability and checkpoints for long tasks.");
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

test("takes a client_id as an argument", () => {
  expect(server.tools.map((tool) => tool.clientIdArgument)).toEqual([true, true, true, true]);
});
