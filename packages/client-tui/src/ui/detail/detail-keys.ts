/** The keys of the detail screen, the most needed first. */
export const detailKeys = [
  "p pause",
  "r resume",
  "c cancel",
  "a answer",
  "Tab part",
  "y copy",
  "l log level",
  "↑↓ scroll",
  "Enter fold, unfold",
  "1-4 timeline, log, steps, result",
  "End follow",
  "f forget",
  "Esc back",
];
