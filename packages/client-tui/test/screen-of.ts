import xterm from "@xterm/headless";

/** What a terminal of this size shows after it was written to, without the empty lines at the end. */
export async function screenOf(written: string, columns: number, rows: number): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
  await new Promise<void>((resolve) => terminal.write(written, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
  );
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
