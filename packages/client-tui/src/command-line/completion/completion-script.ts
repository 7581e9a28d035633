/** The shells that can be taught. */
export const shellNames = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type ShellName = (typeof shellNames)[number];

/** The hidden subcommand that the scripts ask for what fits: everything that is known stands there, in one place. */
export const completeCommand = "__complete";

const bash = `# resumable-mcp completion for bash. In ~/.bashrc: eval "$(resumable-mcp completion bash)"
_resumable_mcp() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_LINE:0:COMP_POINT}"
  local -a words
  # Not COMP_WORDS: bash splits that at every "=" and ":".
  IFS=' ' read -r -a words <<< "$line"
  [[ "$line" == *' ' ]] && words+=('')
  COMPREPLY=($("\${words[0]}" ${completeCommand} -- "\${words[@]:1}" 2>/dev/null))
  # Readline replaces only what stands behind the last "=" or ":".
  local last="\${words[\${#words[@]}-1]}" prefix
  if [[ "$last" == *[=:]* ]]; then
    prefix="\${last%"\${last##*[=:]}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  fi
  [[ "\${COMPREPLY[0]:-}" == *= || "\${COMPREPLY[0]:-}" == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _resumable_mcp resumable-mcp
`;

const zsh = `#compdef resumable-mcp
# resumable-mcp completion for zsh. In ~/.zshrc, after compinit: eval "$(resumable-mcp completion zsh)"
_resumable_mcp() {
  local -a found
  found=("\${(@f)$("\${words[1]}" ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} == 0 )); then
    _files
  elif [[ "\${found[1]}" == *= ]]; then
    compadd -S '' -- "\${found[@]}"
  else
    compadd -- "\${found[@]}"
  fi
}
compdef _resumable_mcp resumable-mcp
`;

const fish = `# resumable-mcp completion for fish. In config.fish: resumable-mcp completion fish | source
function __resumable_mcp_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] ${completeCommand} -- $words[2..-1] 2>/dev/null
end
complete -c resumable-mcp -f -a '(__resumable_mcp_complete)'
`;

/** The script for a shell. */
export function completionScript(shell: ShellName): string {
  return { bash, zsh, fish }[shell];
}
