import type { JsonObject, ServerConfig } from "@resumable-mcp/client";
import type { ReactNode } from "react";
import { stdioServer } from "../../command-line/parse-command-line.js";
import { Form } from "../form/form.js";
import type { FormOutcome, FormShape } from "../form/form-state.js";
import type { ScreenProps } from "../navigation.js";

const shape: FormShape = {
  schema: {
    type: "object",
    required: ["server"],
    properties: {
      server: { type: "string", title: "URL or command", description: "http://127.0.0.1:8001/mcp, or node server.js" },
      name: { type: "string", title: "Name", description: "a short name for it" },
      token_variable: {
        type: "string",
        title: "Token variable",
        description: "the environment variable that holds its bearer token, which is not shown here",
      },
    },
  },
  buttons: [{ id: "add", label: "Add", sends: true }],
};

/** The form for a new server. */
export function AddServerScreen(props: ScreenProps): ReactNode {
  const { board, columns, rows } = props;
  const onOutcome = (outcome: FormOutcome) => void board.attempt(() => add(props, outcome));
  return <Form title="Add a server" {...{ shape, columns, rows, onOutcome }} />;
}

async function add({ client, board, go }: ScreenProps, outcome: FormOutcome): Promise<void> {
  go({ type: "back" });
  if (outcome.type === "back") return;
  const { config, name } = readServer(outcome.values, process.env);
  const { address } = await client.addServer(config, { name });
  const test = await client.testServer(address);
  board.notice(test.ok ? "info" : "error", test.ok ? `${address} answers.` : `Added. ${test.problem ?? ""}`);
  await board.refresh();
}

/** What the form says, as a server: what begins like a URL is one, anything else is a command. */
export function readServer(values: JsonObject, env: NodeJS.ProcessEnv): { config: ServerConfig; name?: string } {
  const text = String(values.server).trim();
  const variable = typeof values.token_variable === "string" ? values.token_variable : "";
  const name = typeof values.name === "string" && values.name !== "" ? values.name : undefined;
  if (!/^https?:\/\//.test(text)) return { config: stdioServer(text), name };
  const token = variable === "" ? undefined : env[variable];
  if (variable !== "" && !token) throw new Error(`There is no token in the environment variable ${variable}.`);
  return { config: { url: text, token }, name };
}
