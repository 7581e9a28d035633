/** The screens that a number leads to from everywhere, with the letters that the menu knows them by too. */
export const places = [
  { key: "1", label: "call a tool", screen: { name: "tools" } },
  { key: "2", letter: "l", label: "list tasks", screen: { name: "board" } },
  { key: "3", letter: "s", label: "statistics", screen: { name: "stats" } },
  { key: "4", letter: "y", label: "session summary", screen: { name: "session" } },
  { key: "5", letter: "v", label: "servers", screen: { name: "servers" } },
] as const;
