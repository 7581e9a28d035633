/** What the build makes of `main.tsx`. */
declare const PANEL_HTML: string;

/**
 * The panel as one HTML file: no request leaves it but calls of tools.
 *
 * It works under a Content Security Policy that names its inline script and style by their hashes. In a host it speaks
 * MCP Apps; where a server puts `<meta name="resumable-mcp-config" content="ui/config.json">` into its head it reads that
 * address and calls the server itself. `<meta name="resumable-mcp-prefix" content="…">` is the prefix of the control tools.
 *
 * Limits: less than 200 KB when compressed.
 */
export const panelHtml: string = PANEL_HTML;
