/** Makes text of what Markdown would read as more: emphasis, links, code, escapes. */

/** As they stand within the brackets of an expression. */
export const markdownCharacters = '\\\\`*_~[\\]<>'
const special = new RegExp(`[${markdownCharacters}]`, 'g')

export function escapeMarkdown(text: string): string {
  return text.replace(special, '\\$&')
}
