/** The slot names that the texts of a flow read. */

const slotPattern = /\{ *([A-Za-z_][\w-]*(?:\.[\w-]+)*) *(?:\|[^{}]*)?\}/g

/** The names in `{name}` placeholders of a text, or of any text inside a value. */
export function slotNamesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.includes('{') ? [...value.matchAll(slotPattern)].map(([, name]) => name!) : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(slotNamesIn)
}
