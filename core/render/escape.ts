/** Escapes Markdown syntax in plain text: emphasis, links, code, escapes. */

/** Puts `before`, a backslash by default, in front of each character that Markdown reads as syntax. */
export function escapeMarkdown(text: string, before = '\\'): string {
  return text.replace(/[\\`*_~[\]<>]/g, (character) => before + character)
}
