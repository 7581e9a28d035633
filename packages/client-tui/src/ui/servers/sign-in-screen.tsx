import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, wrapText } from "../../display/plain-text.js";
import { Form } from "../form/form.js";
import type { FormOutcome, FormShape } from "../form/form-state.js";
import type { SignIn } from "../navigation.js";
import type { ScreenProps } from "../screen-props.js";

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

/** Waits for the browser to come back; one on another machine cannot, so the address at which it ended can be pasted. */
export function SignInScreen(props: ScreenProps & { readonly signIn: SignIn }): ReactNode {
  const { signIn, columns, rows } = props;
  const url = wrapText(signIn.url, columns);
  const shown = url.slice(0, Math.max(1, rows - frameRows));
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(`Sign in to ${signIn.address} on this page, opened and copied:`, columns)}</Text>
      {shown.map((line, index) => (
        <Text key={index}>
          {index === shown.length - 1 && shown.length < url.length ? cutText(`${line}…`, columns) : line}
        </Text>
      ))}
      <Form
        title="Browser elsewhere? Paste the address where it ended."
        shape={shape}
        columns={columns}
        rows={rows - shown.length - 1}
        onOutcome={(outcome) => act(props, outcome)}
      />
    </Box>
  );
}

function act({ signIn, board }: ScreenProps & { readonly signIn: SignIn }, outcome: FormOutcome): void {
  if (outcome.type === "back") signIn.cancel();
  else if (!signIn.receive(String(outcome.values.redirected).trim())) {
    board.notice("error", "That is not the address of this sign-in: copy the whole line of the browser.");
  }
}
