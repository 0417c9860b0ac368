/** The slot names that texts and conditions of a flow read. */

const slotPattern = /\{ *([A-Za-z_]\w*(?:\.[\w-]+)*) *(?:\|[^{}]*)?\}/g

/** The names in `{name}` placeholders of a text, or of any text inside a value. */
export function slotNamesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.includes('{') ? [...value.matchAll(slotPattern)].map(([, name]) => name!) : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(slotNamesIn)
}

const keywords = new Set(
  'and or not exists is in eq ne gt lt gte lte true false null empty contains set missing undefined'.split(' '),
)
const comparison = /[=<>!]=?|\b(?:exists|empty|contains|eq|ne)\b|&&|\|\|/

/** The names that a condition reads. Free prose cannot be checked, so only single names and comparisons are read. */
export function namesIn(condition: string): string[] {
  const unquoted = condition.replace(/'[^']*'|"[^"]*"/g, ' ')
  const names = unquoted.match(/[A-Za-z_]\w*(?:\.[\w-]+)*/g) ?? []
  if (names.length !== 1 && !comparison.test(unquoted)) return []
  const candidates = names.filter((name) => !keywords.has(name.toLowerCase()))
  /** The right side of `slot == value` may be a bare value: only the left side of a comparison is a name. */
  const comparedNames = [
    ...unquoted.matchAll(/([A-Za-z_]\w*(?:\.[\w-]+)*)\s*(?:[=<>!]=?|\b(?:exists|is|contains|eq|ne|in)\b)/g),
  ].map(([, name]) => name!)
  return (comparedNames.length > 0 ? comparedNames : candidates).filter((name) => !keywords.has(name.toLowerCase()))
}
