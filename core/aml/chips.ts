/** A chip in AML: `label`, `label = value`, `label -> https://…` or `label -> tel:+1…`. */
import type { Position } from './contract.js'
import { addProblem, type Draft } from './draft.js'

export function chipOf(draft: Draft, source: string, at: Position): Record<string, unknown> | undefined {
  const arrow = source.indexOf('->')
  if (arrow >= 0) {
    const label = source.slice(0, arrow).trim()
    const target = source.slice(arrow + 2).trim()
    if (/^https?:/i.test(target)) return { label, kind: 'url', url: target }
    if (/^tel:/i.test(target)) return { label, kind: 'dial', phone: target.slice('tel:'.length).trim() }
    return addProblem(
      draft,
      at,
      'badMarker',
      'What follows -> in a chip is an address (https://…) or a phone (tel:+1…)',
    )
  }
  const equals = source.indexOf('=')
  if (equals < 0) return { label: source.trim() }
  return { label: source.slice(0, equals).trim(), value: source.slice(equals + 1).trim() }
}

/** Undefined when one of them has a problem. */
export function chipsOf(draft: Draft, fields: readonly string[], at: Position): Record<string, unknown>[] | undefined {
  const chips = fields.map((field) => chipOf(draft, field, at)).filter((chip) => chip !== undefined)
  return chips.length === fields.length ? chips : undefined
}
