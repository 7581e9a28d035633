import type { MarkdownRenderer } from "vitepress";

/**
 * Shows angle brackets and double braces of the pages as they are written. VitePress would take the ones for elements and the others
 * for expressions, and a page on a git host has neither. The reference keeps its elements: TypeDoc writes anchors.
 */
export function keepPagesPlain(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("keep-pages-plain", ({ tokens, env }) => {
    if (String(env.relativePath).startsWith("api/")) return;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === "html_inline") token.type = "text";
    }
  });
  const { text } = markdown.renderer.rules;
  markdown.renderer.rules.text = (...args) => (text?.(...args) ?? "").replaceAll("{{", "&#123;&#123;");
}
