#!/usr/bin/env bash
# The story of two servers and two unfinished tasks, by subcommands alone. It checks what it sees, and fails otherwise.
# From the repository, after `npm run build`: packages/client-tui/examples/story.sh
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
client=(resumable-mcp)
server=(resumable-mcp serve http)
command -v resumable-mcp >/dev/null || client=(node "$here/../dist/cli.js")
command -v resumable-mcp >/dev/null || server=(node "$here/../../server-http/dist/cli.js")

folder=$(mktemp -d)
export XDG_STATE_HOME=$folder   # this story's own state file
pids=()
cleanup() {
  disown -a
  kill -9 "${pids[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

say() { printf '\n# %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
expect() { [[ "$2" == "$3" ]] || fail "$1: expected $3, got $2"; printf '  %s: %s\n' "$1" "$2"; }
mcp() { "${client[@]}" "$@"; }
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
status() { mcp show "$1" --json | field status; }

# Repeats a command until it prints what is wanted: until_is WANTED COMMAND …
until_is() {
  local wanted=$1 got= tries
  shift
  # As patient as a slow machine needs it: only what fails takes so long.
  for ((tries = 0; tries < 1200; tries++)); do
    got=$("$@") || true
    [[ "$got" == "$wanted" ]] && return
    sleep 0.1
  done
  fail "$*: expected $wanted, got $got"
}

# Ends processes as a power cut would.
kill_hard() {
  disown "$@"
  kill -9 "$@"
}

# Runs a command that follows a task, in the background, until its output has a text: follow LOG TEXT COMMAND …
follow() {
  local log=$folder/$1 text=$2
  shift 2
  "${client[@]}" "$@" >"$log" 2>&1 &
  pids+=("$!")
  until_is yes printed "$log" "$text"
}
printed() { grep -q "$2" "$1" && echo yes; }

# Starts a server on a port (0: any that is free) and waits until it listens; sets pid and url.
serve() {
  local name=$1 port=$2
  "${server[@]}" "$here/story-tools.mjs" --port "$port" --store "$folder/$name" 2>"$folder/$name.log" &
  pid=$!
  pids+=("$pid")
  until_is yes printed "$folder/$name.log" "listening on"
  url=$(sed -n 's/^listening on //p' "$folder/$name.log")
}

say "Two servers, known by name"
serve one 0; one_pid=$pid one_url=$url
serve two 0; two_pid=$pid two_url=$url
mcp servers add "$one_url" --name one
mcp servers add "$two_url" --name two

say "A call on each; then clients and servers die in the middle"
gate=$folder/gate
follow counting.log '10/20' call count to=20 "gate=$gate" --server one; counting_client=$!
follow asking.log 'Where to' call deploy --wait --server two; asking_client=$!
kill_hard "$one_pid" "$two_pid" "$counting_client" "$asking_client"
counting=$(sed -n 's/^Task //p' "$folder/counting.log")
asking=$(sed -n 's/^Task //p' "$folder/asking.log")
mcp tasks --server-wait 0s && fail "no server should have answered" || expect "exit code without servers" $? 3

say "The servers are back. Nothing had to be written down: both tasks are found"
serve one "$(node -p "new URL('$one_url').port")"
serve two "$(node -p "new URL('$two_url').port")"
mcp tasks
expect "unfinished tasks" "$(mcp tasks --json | field total)" 2
expect "the counting one" "$(mcp show "$counting" --json | field interrupted)" true

say "Resume both"
mcp resume --all
until_is input_required status "$asking"
until_is running status "$counting"

say "Answer the question"
mcp wait "$asking" && fail "it should have asked" || expect "exit code of a task that asks" $? 6
mcp answer "$asking" where place=nowhere --json && fail "that is not a place" || expect "exit code of a wrong answer" $? 2
mcp answer "$asking" where place=staging
expect "deployed to" "$(mcp wait "$asking" --json | field structured_content.deployed)" staging

say "Pause the other one"
mcp pause "$counting"
until_is paused status "$counting"
mcp wait "$counting" && fail "it should be paused" || expect "exit code of a paused task" $? 5

say "Resume it, follow it, and kill the client that follows"
mcp resume "$counting"
follow watch.log '10/20' watch "$counting"; watcher=$!
kill_hard "$watcher"

say "The task did not mind. The gate opens, and it finishes"
expect "its place" "$(mcp show "$counting" --json | field progress)" 10
touch "$gate"
expect "counted to" "$(mcp wait "$counting" --json | field structured_content.counted)" 20
expect "items, each once" "$(mcp items "$counting" | paste -sd ' ')" "$(seq -s ' ' 20)"
expect "unfinished tasks" "$(mcp tasks --json | field total)" 0

say "Two servers and three clients were killed; nothing was lost, nothing was done twice"
