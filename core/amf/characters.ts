/** Counts the characters of a text, and finds those that no channel can carry. */

/** NUL or an unpaired surrogate, which would arrive as a different character. */
export function hasBadCharacters(text: string): boolean {
  return text.includes('\0') || /\p{Surrogate}/u.test(text)
}

/** By code points, as JSON Schema counts. */
export function charactersOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || charactersOf(text) > max)
}
