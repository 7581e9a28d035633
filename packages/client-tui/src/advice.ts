/** What a user of this program types where a server's message advises one of its control tools. */
const commands: ReadonlyMap<string, string> = new Map([
  ["list_session_tasks", "resumable-mcp tasks --all"],
  ...["pause", "resume", "cancel", "answer", "delete"].map(
    (verb) => [`${verb}_task`, `resumable-mcp ${verb}`] as const,
  ),
  ["wait_for_task", "resumable-mcp wait"],
]);

/** The names, with the prefix that a server may give them; a message that says what a server lacks keeps its words. */
const advised = new RegExp(`(?<!\\bthe tool )\\b(?:call )?\\w*?(${[...commands.keys()].join("|")})\\b`, "g");

/** A server's message with the commands of this program in place of control tools, which only models call. */
export function withCommands(message: string): string {
  return message.replaceAll(advised, (phrase, tool: string) => {
    const command = `\`${commands.get(tool) ?? phrase}\``;
    return phrase.startsWith("call ") ? `run ${command}` : command;
  });
}
