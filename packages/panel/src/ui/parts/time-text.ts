/** The time of a day in the user's language, to the second. */
export function timeText(date: Date, language: string): string {
  return date.toLocaleTimeString(language, { hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
