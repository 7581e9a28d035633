/** What `--help` prints. */
export const helpText = `resumable-mcp: call MCP tools whose tasks survive crashes, and find them again.

Usage: resumable-mcp [COMMAND] [OPTIONS]     without a command, in a terminal: the user interface

Commands
  call TOOL [key=value …]     call a tool, or go on with the same unfinished call
  tasks                       list the unfinished tasks (--all: the finished ones too)
  show ID                     one task in detail
  watch [ID]                  follow one task, or all unfinished ones
  wait ID                     wait for the end and print the result
  pause | resume | cancel ID  steer a task
  answer ID KEY [key=value …] answer a task's question (--decline, --dismiss)
  result ID                   print the result of a finished task
  stats                       count the tasks by status
  session                     who this client is and what it remembers
  servers                     the servers and whether they answer
  tools                       the tools that can be called
  ping                        ask the servers for a sign of life

Options
  --url URL                   a server over HTTP (may be given several times)
  --stdio "COMMAND"           a server that is started and spoken to over stdin and stdout
  --token TOKEN               bearer token (or RESUMABLE_MCP_TOKEN)
  --state FILE                the state file, by default one per user
  --args JSON                 arguments as a JSON object
  --new                       call: a new run even if the same call is unfinished
  --detach                    call: print the task's id and leave
  --wait                      call, watch: wait through pauses and questions, too
  --timeout SECONDS           call, watch, wait: leave after that time; the task goes on
  --on-interrupt ACTION       what Ctrl-C does to the task: detach (default), pause or cancel
  --status LIST, --tool NAME  tasks: only those
  --json                      one JSON object, or one per line, on stdout
  --help, --version

Exit codes
  0 done · 1 the tool failed or the server refused · 2 wrong command line · 3 no server answers · 4 no such task or tool
  5 paused · 6 waits for an answer · 7 not finished yet · 8 cancelled · 9 unusable state file · 130 Ctrl-C · 143 SIGTERM
`;
