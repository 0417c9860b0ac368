/** Finds the sections of an export-shaped document, under their names of today or of before. */
import type { FieldError } from '../../errors.js'
import { isRecord } from '../../json.js'

export interface Sent {
  readonly value: unknown
  /** How the caller spells its place: `capabilities.knowledge.things`, or `products`. */
  readonly at: string
}

/** Where each section may stand, the place of today first. */
const places: Readonly<Record<string, readonly string[]>> = {
  identity: ['identity'],
  personality: ['personality'],
  goals: ['goals'],
  defaultGoal: ['defaultGoal'],
  objectives: ['objectives'],
  playbooks: ['playbooks'],
  standingInstructions: ['standingInstructions'],
  guardrails: ['guardrails'],
  rules: ['rules'],
  messageTemplates: ['messageTemplates'],
  toolBindings: ['toolBindings'],
  collections: ['capabilities.knowledge.collections', 'collections'],
  things: ['capabilities.knowledge.things', 'capabilities.knowledge.products', 'things', 'products'],
  facts: ['capabilities.knowledge.facts', 'capabilities.knowledge.faqs', 'facts', 'faqs'],
  scheduling: ['capabilities.scheduling', 'scheduling'],
  notifications: ['capabilities.notifications', 'notifications'],
  peopleFields: ['capabilities.people.fields'],
  segments: ['capabilities.people.segments'],
  integrations: ['integrations.custom'],
  outreach: ['outreach'],
  templateRef: ['templateRef'],
}

/** What a read of the agent shows beside its sections, and an import leaves alone. */
const passedOver = ['format', 'id', 'orgId', 'name', 'description', 'framework', 'createdAt', 'updatedAt', 'exportedAt']

const known = new Set([...Object.values(places).flat(), ...passedOver])
const folders = new Set([...known].flatMap((place) => place.split('.').map((_, at, all) => all.slice(0, at).join('.'))))

export function sectionsIn(sent: unknown): { sections: Map<string, Sent>; faults: FieldError[] } {
  const found = new Map<string, unknown>()
  const faults: FieldError[] = []
  if (!isRecord(sent)) {
    return { sections: new Map(), faults: [{ field: 'body', message: 'must be an object' }] }
  }
  gather(sent, '', found, faults)
  const sections = new Map<string, Sent>()
  for (const [section, candidates] of Object.entries(places)) {
    const present = candidates.filter((place) => found.has(place))
    const [at] = present
    if (at !== undefined) sections.set(section, { value: found.get(at), at })
    for (const twice of present.slice(1)) faults.push({ field: twice, message: `says again what ${at} says` })
  }
  return { sections, faults }
}

function gather(part: object, under: string, found: Map<string, unknown>, faults: FieldError[]): void {
  for (const [name, value] of Object.entries(part)) {
    const place = under === '' ? name : `${under}.${name}`
    if (value === undefined) continue
    if (known.has(place)) found.set(place, value)
    else if (!folders.has(place)) faults.push({ field: place, message: 'is not a known section' })
    else if (!isRecord(value)) faults.push({ field: place, message: 'must be an object' })
    else gather(value, place, found, faults)
  }
}
