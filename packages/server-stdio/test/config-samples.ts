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
];
