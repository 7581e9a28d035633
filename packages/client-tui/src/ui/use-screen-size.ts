import { useStdout } from "ink";
import { useEffect, useState } from "react";

/** The size of the terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Reads the terminal's size, and again whenever it changes; a fixed size wins. */
export function useScreenSize(fixed?: ScreenSize): ScreenSize {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const onResize = () => setSize(sizeOf(stdout));
    stdout.on("resize", onResize);
    return () => {
      stdout.off("resize", onResize);
    };
  }, [stdout]);
  return fixed ?? size;
}

function sizeOf(stdout: NodeJS.WriteStream): ScreenSize {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}
