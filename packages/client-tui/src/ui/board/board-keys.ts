/** The keys of the list of tasks, the most needed first. */
export const boardKeys = [
  "Enter open",
  "p pause",
  "r resume",
  "c cancel",
  "Space mark",
  "/ find",
  "s sort",
  "f forget",
  "* mark all",
  "u unfinished only",
  "g ask the servers again",
  "PgUp PgDn Home End move",
  "Esc back",
];
