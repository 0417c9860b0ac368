/** Words that names and comments of the code do not contain, tests included. */

/** Words of no messaging system; `ops/GLOSSARY.md` has the words in their place. */
export const bannedWords: ReadonlySet<string> = new Set([
  ...['desk', 'door', 'doors', 'shelf', 'shelves', 'lobby', 'realm', 'pulse', 'told', 'telling', 'heard', 'hear'],
  ...['gone', 'aloft', 'considering', 'tending', 'lately', 'owe', 'owed', 'anew', 'having', 'woken', 'deed', 'deeds'],
  ...['rehearsal', 'rehearse', 'rehearsed', 'keepers', 'tidily'],
])

/** Words and phrases that no comment contains: private metaphors, and subjects that name no part of the system. */
export const bannedInComments = /\b(whoever|somebody|the house|at hand|aloft|lately|anew)\b/i

/** The words of a name in camel case or with underscores. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _$]/)
}
