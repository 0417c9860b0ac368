/** What the patterns of schemas ask of a writer, in words, so that an error shows a sentence and no expression. */

export const patternWords = new Map<string, string>()

/** The pattern, once its words are kept: `must be …`. */
export function describePattern(pattern: string, must: string): string {
  patternWords.set(pattern, must)
  return pattern
}
