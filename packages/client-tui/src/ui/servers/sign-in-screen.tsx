import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, wrapText } from "../../display/plain-text.js";
import { Form } from "../form/form.js";
import type { FormOutcome, FormShape } from "../form/form-state.js";
import type { PropsOf } from "../navigation.js";

/** The keys of the page to sign in on. */
export const signInKeys = ["Enter send the address", "Esc give up"];

const shape: FormShape = {
  schema: {
    type: "object",
    required: ["redirected"],
    properties: {
      redirected: {
        type: "string",
        title: "Address",
        description: "begins with http://127.0.0.1, even if the browser cannot reach it",
      },
    },
  },
  buttons: [{ id: "send", label: "Send", sends: true }],
};

/** The title, and the form: its title, one field, the button and the help. */
const frameRows = 5;

const notItText = "That is not the address of this sign-in: copy the whole line of the browser.";

/** Waits for the browser to come back; one on another machine cannot, so the address at which it ended can be pasted. */
export function SignInScreen({ screen, board, columns, rows }: PropsOf<"sign_in">): ReactNode {
  const shown = wrapText(screen.url, columns, Math.max(1, rows - frameRows));
  const onOutcome = (outcome: FormOutcome) => {
    if (outcome.type === "back") screen.cancel();
    else if (!screen.receive(String(outcome.values.redirected).trim())) board.notice("error", notItText);
  };
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(`Sign in to ${screen.address} on this page, opened and copied:`, columns)}</Text>
      <Text>{shown.join("\n")}</Text>
      <Form
        title="Browser elsewhere? Paste the address where it ended."
        {...{ shape, columns, onOutcome }}
        above={shown.length + 1}
        rows={rows - shown.length - 1}
      />
    </Box>
  );
}
