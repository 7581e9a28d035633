import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, fitText } from "../display/plain-text.js";
import { KeyProvider } from "../ui/keys/key-provider.js";
import type { ScreenSize } from "../ui/screen-props.js";

/** What stands on the screen while the rest of the program is loaded: the opening screen before anything is known. */
export function FirstFrame(props: { readonly size: ScreenSize; readonly onInterrupt: () => void }): ReactNode {
  const { size, onInterrupt } = props;
  return (
    <KeyProvider
      onPress={({ name }) => {
        if (name === "interrupt") onInterrupt();
        return true;
      }}
    >
      <Box flexDirection="column" width={size.columns} height={size.rows - 1}>
        <Text inverse>{fitText(" resumable-mcp", size.columns)}</Text>
        <Text bold>{cutText("Looking for your tasks…", size.columns)}</Text>
      </Box>
    </KeyProvider>
  );
}
