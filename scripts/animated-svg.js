// Draws what a terminal showed, as an SVG that plays it again and again with nothing but CSS.

const cellWidth = 8.4;
const lineHeight = 19;
const margin = { left: 16, top: 46 };
const foreground = "#cdd6f4";
const background = "#1e1e2e";
const palette = ["#45475a", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#f5c2e7", "#94e2d5", foreground];
const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text) => text.replace(/[&<>]/g, (character) => escapes[character]);

/** The rows of a terminal as it is now, each as SVG at the height 0; empty rows are empty. */
export function rowsOf(terminal) {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, row) =>
    rowOf(buffer.getLine(buffer.viewportY + row), terminal.cols),
  );
}

function rowOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined) continue;
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (last?.look === look) last.text += cell.getChars() || " ";
    else runs.push({ look, column, text: cell.getChars() || " " });
  }
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(textElement)
    .join("");
}

/** Equal looks are equal strings, so that runs of them are drawn as one. */
function lookOf(cell) {
  const color = cell.isFgPalette() ? palette[cell.getFgColor() % palette.length] : foreground;
  return [color, cell.isInverse() !== 0, cell.isBold() !== 0, cell.isDim() !== 0].join(" ");
}

function textElement({ look, column, text }) {
  const [color, inverse, bold, dim] = look.split(" ");
  const isInverse = inverse === "true";
  const shown = isInverse ? text : text.trimEnd();
  const [x, width] = [margin.left + column * cellWidth, shown.length * cellWidth].map((value) => value.toFixed(1));
  const weight = bold === "true" ? ' font-weight="bold"' : "";
  const opacity = dim === "true" ? ' opacity="0.6"' : "";
  const bar = isInverse ? `<rect x="${x}" y="-14" width="${width}" height="${lineHeight}" fill="${color}"/>` : "";
  const fill = isInverse ? background : color;
  return `${bar}<text x="${x}" textLength="${width}" fill="${fill}"${weight}${opacity} xml:space="preserve">${escaped(shown)}</text>`;
}

/**
 * Draws frames `{ rows, caption, ms }`, each shown for its time, then from the beginning. The frame `still` is shown where
 * nothing moves: to a reader who wants no motion, and by a program that knows no animation or no style sheet.
 */
export function animatedSvg(frames, { columns, rows, title, still, stamp }) {
  const [width, height] = [2 * margin.left + columns * cellWidth, margin.top + 14 + rows * lineHeight];
  const ids = new Map();
  const idOf = (row) => ids.get(row) ?? ids.set(row, `r${ids.size}`).get(row);
  const groups = frames.map(({ rows: shown, caption }, index) => {
    const uses = shown.flatMap((row, line) =>
      row === "" ? [] : [`<use href="#${idOf(row)}" y="${margin.top + line * lineHeight}"/>`],
    );
    const label = `<text x="${width / 2}" y="23" text-anchor="middle" fill="#a6adc8">${escaped(caption)}</text>`;
    const hidden = index === still ? "" : ' visibility="hidden"';
    return `<g class="f" id="f${index}"${hidden}>${label}${uses.join("")}</g>`;
  });
  const rowGroups = [...ids].map(([row, id]) => `<g id="${id}">${row}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<!-- ${stamp} -->
<title>${escaped(title)}</title>
<style>
${styleOf(frames)}
</style>
<defs>
${rowGroups.join("\n")}
</defs>
<rect width="${width}" height="${height}" rx="10" fill="${background}"/>
<circle cx="20" cy="18" r="6" fill="#f38ba8"/><circle cx="40" cy="18" r="6" fill="#f9e2af"/><circle cx="60" cy="18" r="6" fill="#a6e3a1"/>
${groups.join("\n")}
</svg>
`;
}

function styleOf(frames) {
  const wholeMs = frames.reduce((sum, { ms }) => sum + ms, 0);
  const percent = (ms) => `${((100 * ms) / wholeMs).toFixed(3)}%`;
  let fromMs = 0;
  const rules = frames.map(({ ms }, index) => {
    const [from, to] = [percent(fromMs), percent(fromMs + ms)];
    const isFirst = fromMs === 0;
    fromMs += ms;
    const before = isFirst ? "" : "0%{visibility:hidden}";
    const after = index === frames.length - 1 ? "100%{visibility:visible}" : `${to},100%{visibility:hidden}`;
    return `@keyframes k${index}{${before}${from}{visibility:visible}${after}}#f${index}{animation-name:k${index}}`;
  });
  return [
    `.f{animation:${wholeMs}ms step-end infinite}`,
    ...rules,
    "@media (prefers-reduced-motion:reduce){.f{animation:none!important}}",
  ].join("\n");
}
