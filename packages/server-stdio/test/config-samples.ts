import type { HostName } from "@resumable-mcp/protocol/hosts";

/** Configuration files as people have them: other servers, other settings, comments, tabs, line ends of Windows. */
export const configSamples: readonly { readonly host: HostName; readonly what: string; readonly text: string }[] = [
  {
    host: "claude-desktop",
    what: "other servers and settings",
    text: `{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/Documents"]
    },
    "weather": { "command": "uv", "args": ["--directory", "/srv/weather", "run", "weather.py"], "env": { "KEY": "x" } }
  },
  "preferences": { "menuBarEnabled": false }
}
`,
  },
  {
    host: "claude-desktop",
    what: "line ends of Windows and a byte order mark",
    text: '\uFEFF{\r\n    "mcpServers": {\r\n        "a": {\r\n            "command": "C:\\\\tools\\\\a.exe"\r\n        }\r\n    }\r\n}\r\n',
  },
  { host: "claude-desktop", what: "nothing but settings, on one line", text: '{"theme":"dark","scale":0}' },
  {
    host: "claude-code",
    what: "the program's own state, and servers of projects",
    text: `{
  "numStartups": 41,
  "tipsHistory": {
    "new-user-warmup": 1
  },
  "projects": {
    "/home/ada/work": {
      "allowedTools": [],
      "mcpServers": {
        "tracker": { "type": "http", "url": "https://tracker.example.com/mcp" }
      }
    }
  },
  "mcpServers": {}
}`,
  },
  {
    host: "cursor",
    what: "comments between and behind servers",
    text: `// Servers for all projects.
{
  "mcpServers": {
    // The browser.
    "playwright": {
      "command": "npx",
      "args": ["@playwright/mcp@latest"] // the newest
    }, // keep this first
    /* Switched off:
    "old": { "command": "old" },
    */
    "docs": { "url": "https://docs.example.com/mcp" } // needs a token
    // Add more here.
  }
}
`,
  },
  {
    host: "vscode",
    what: "inputs, tabs and trailing commas",
    text: `{
	// Asked for once.
	"inputs": [
		{ "type": "promptString", "id": "key", "description": "API key", "password": true },
	],
	"servers": {
		"github": {
			"type": "http",
			"url": "https://api.example.com/mcp/", // remote
		},
	},
}
`,
  },
  { host: "vscode", what: "inputs and no servers yet", text: '{\n    "inputs": []\n    // servers follow\n}\n' },
  {
    host: "codex",
    what: "settings, other servers and comments",
    text: `model = "gpt-5.4"  # the usual one
approval_policy = "on-request"

[features]
web_search = true

# Documents.
[mcp_servers.docs]
command = "npx"
args = [
  "-y",  # no question
  "@example/docs-server",
]
startup_timeout_sec = 20

[mcp_servers.docs.env]
API_KEY = 'secret'

[[profiles.list]]
since = 2026-11-01T07:30:00Z
limit = 9_007_199_254_740_993
`,
  },
  { host: "codex", what: "no line end at its end", text: "# mine\r\nmodel = 'o4'\r\n\r\n[tui]\r\ntheme = \"dark\"" },
  {
    host: "gemini-cli",
    what: "settings and a server",
    text: `{
  "theme": "GitHub",
  "mcpServers": {
    "files": { "command": "npx", "args": ["files"], "timeout": 30000, "trust": false }
  },
  "mcp": { "allowed": ["files"] }
}
`,
  },
  { host: "windsurf", what: "nothing but an empty object", text: '{\n  "mcpServers": {}\n}\n' },
  {
    host: "zed",
    what: "comments, trailing commas and an extension's server",
    text: `// Zed settings
//
// See the documentation.
{
  "theme": { "mode": "system" },
  "context_servers": {
    // Installed as an extension.
    "mcp-server-github": {
      "settings": { "token": "x" },
    },
  },
  "ui_font_size": 16, // large
}
`,
  },
  {
    host: "opencode",
    what: "comments, a server and settings",
    text: `{
  "$schema": "https://opencode.ai/config.json",
  // Tools.
  "mcp": {
    "jira": { "type": "remote", "url": "https://jira.example.com/mcp", "enabled": true },
  },
  "model": "example/model",
}
`,
  },
  {
    host: "qwen-code",
    what: "settings and a server",
    text: '{\n\t"$version": 3,\n\t"mcpServers": {\n\t\t"a": { "command": "a", "timeout": 600000 }\n\t}\n}\n',
  },
  {
    host: "goose",
    what: "extensions as Goose writes them, and comments",
    text: `# My settings.
GOOSE_PROVIDER: anthropic
extensions: # all of them
  # Comes with Goose.
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300 # seconds
    type: builtin
  files:
    name: files
    cmd: npx
    args:
    - -y
    - '@example/files'
    enabled: false
    envs: {}
    type: stdio

# What follows is not an extension.
GOOSE_MODE: smart_approve
`,
  },
  {
    host: "goose",
    what: "no extensions yet, and no line end at its end",
    text: "GOOSE_MODEL: claude-sonnet-5 # the best",
  },
  {
    host: "goose",
    what: "an empty map and line ends of Windows",
    text: "extensions: {} # none\r\nGOOSE_MODE: auto\r\n",
  },
  {
    host: "pi",
    what: "a remote server, and how its tools are shown",
    text: '{\n  "autoEnableCodemode": false,\n  "mcpServers": {\n    "a": { "url": "https://a.example.com/mcp", "exposure": "direct" }\n  }\n}\n',
  },
  {
    host: "cline",
    what: "a server that is switched off",
    text: '{\n  "mcpServers": {\n    "a": { "command": "a", "disabled": true, "timeout": 60 }\n  }\n}\n',
  },
  {
    host: "continue",
    what: "a list of servers, and comments",
    text: `name: Mine
version: 1.0.0
mcpServers: # two
  # Finds things - here.
  - name: search
    command: npx
    args: [-y, search]
  - { name: files, command: files } # short
models: []
`,
  },
  {
    host: "continue",
    what: "a list that is not indented, and no line end at its end",
    text: "name: Mine\nmcpServers:\n- name: a\n  command: a\n- command: b\n  name: b",
  },
  {
    host: "continue",
    what: "an empty list and line ends of Windows",
    text: "name: Mine\r\nmcpServers: [] # none\r\nversion: 1.0.0\r\n",
  },
];
