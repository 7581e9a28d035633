import { renderMermaidSVG } from "beautiful-mermaid";
import type { MarkdownRenderer } from "vitepress";

/** Draws blocks of Mermaid while the site is built, in the colours of the page: readers load no program for them. */
export function drawDiagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, options, env, self) ?? "";
    // Its own style loads a font from elsewhere; `theme/style.css` has the colours that it derives.
    const drawing = renderMermaidSVG(token.content, { transparent: true }).replace(/<style>[\s\S]*?<\/style>/g, "");
    return `<div class="diagram" v-pre>${drawing}</div>\n`;
  };
}
