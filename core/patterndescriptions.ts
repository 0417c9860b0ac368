/** What the patterns of schemas ask of a writer, in words, so that an error shows a sentence and no expression. */

export const patternDescriptions = new Map<string, string>()

/** The pattern, once its words are kept: `must be …`. */
export function describePattern(pattern: string, requirement: string): string {
  patternDescriptions.set(pattern, requirement)
  return pattern
}
