import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { cutText, fitText } from "../display/plain-text.js";
import { InterruptOnly } from "../ui/keys/key-provider.js";
import type { Background } from "../ui/keys/terminal-reply.js";
import type { ScreenSize } from "../ui/navigation.js";

/** What stands on the screen while the rest of the program is loaded: the opening screen before anything is known. */
export function FirstFrame(props: {
  readonly size: ScreenSize;
  readonly onInterrupt: () => void;
  readonly onBackground?: (background: Background) => void;
}): ReactNode {
  const { columns, rows } = props.size;
  return (
    <InterruptOnly onInterrupt={props.onInterrupt} onBackground={props.onBackground}>
      <Box flexDirection="column" width={columns} height={rows - 1}>
        <Text inverse>{fitText(" resumable-mcp", columns)}</Text>
        <Text bold>{cutText("Looking for your tasks…", columns)}</Text>
      </Box>
    </InterruptOnly>
  );
}
