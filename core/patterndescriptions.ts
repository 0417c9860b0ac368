/** Descriptions of schema patterns, so that an error shows a sentence instead of a regular expression. */

export const patternDescriptions = new Map<string, string>()

/** Registers the sentence (`must be …`) for the pattern, and returns the pattern. */
export function describePattern(pattern: string, requirement: string): string {
  patternDescriptions.set(pattern, requirement)
  return pattern
}
