type Cell = string | number | boolean | null;

/** Of PostgreSQL's type `text`. */
const textOid = 25;

/**
 * Makes a parameter of a list. Texts are in the binary format, since the driver would escape each of them in a text, which takes as
 * long as everything else that it does for a statement.
 */
export function listParameter(type: string, cells: readonly Cell[]): Buffer | string {
  return type === "text" ? textList(cells) : `{${cells.map((cell) => cell ?? "NULL").join(",")}}`;
}

/** One dimension from index 1 on; each text after its length, and −1 in place of `null`. */
function textList(cells: readonly Cell[]): Buffer {
  const texts = cells.map((cell) => (cell === null ? null : String(cell)));
  const sizes = texts.map((text) => (text === null ? -1 : Buffer.byteLength(text)));
  const headBytes = 20;
  const list = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), headBytes));
  let at = 0;
  for (const number of [1, texts.includes(null) ? 1 : 0, textOid, texts.length, 1]) at = list.writeInt32BE(number, at);
  for (const [index, text] of texts.entries()) {
    at = list.writeInt32BE(sizes[index] ?? 0, at);
    if (text !== null) at += list.write(text, at);
  }
  return list;
}
