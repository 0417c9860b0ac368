/** Makes text of what Markdown would read as more: emphasis, links, code, escapes. */

/** `before` stands in front of each character that Markdown reads; a backslash makes text of it. */
export function escapeMarkdown(text: string, before = '\\'): string {
  return text.replace(/[\\`*_~[\]<>]/g, (character) => before + character)
}
