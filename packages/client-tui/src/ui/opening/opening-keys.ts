/** The keys of the opening screen. */
export const openingKeys = [
  "Enter resume all",
  "r resume",
  "w watch",
  "c cancel",
  "f forget",
  "m menu",
  "Ctrl-C leave",
];
