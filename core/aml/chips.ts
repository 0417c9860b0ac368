/** A chip as AML writes it: `label`, `label = value`, `label -> https://…` or `label -> tel:+1…`. */
import type { Place } from './contract.js'
import { type Draft, problem } from './draft.js'

export function chipOf(draft: Draft, written: string, at: Place): Record<string, unknown> | undefined {
  const arrow = written.indexOf('->')
  if (arrow >= 0) {
    const label = written.slice(0, arrow).trim()
    const target = written.slice(arrow + 2).trim()
    if (/^https?:/i.test(target)) return { label, kind: 'url', url: target }
    if (/^tel:/i.test(target)) return { label, kind: 'dial', phone: target.slice('tel:'.length).trim() }
    return problem(draft, at, 'badMarker', 'What follows -> in a chip is an address (https://…) or a phone (tel:+1…)')
  }
  const equals = written.indexOf('=')
  if (equals < 0) return { label: written.trim() }
  return { label: written.slice(0, equals).trim(), value: written.slice(equals + 1).trim() }
}

/** Absent when one of them is a problem. */
export function chipsOf(draft: Draft, fields: readonly string[], at: Place): Record<string, unknown>[] | undefined {
  const chips = fields.map((field) => chipOf(draft, field, at)).filter((chip) => chip !== undefined)
  return chips.length === fields.length ? chips : undefined
}
