/** Finds the sections of an input in the export's shape, under current or older names. */
import type { FieldError } from '../../errors.js'
import { isRecord } from '../../json.js'

export interface SectionValue {
  readonly value: unknown
  /** The path as the caller spells it: `capabilities.knowledge.things`, or `products`. */
  readonly at: string
}

/** The paths of each section, the current one first. */
const sectionPaths: Readonly<Record<string, readonly string[]>> = {
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

/** Members of an agent's read that are no sections; an import ignores them. */
const ignoredPaths = [
  'format',
  'id',
  'orgId',
  'name',
  'description',
  'framework',
  'createdAt',
  'updatedAt',
  'exportedAt',
]

const knownPaths = new Set([...Object.values(sectionPaths).flat(), ...ignoredPaths])
const groupPaths = new Set(
  [...knownPaths].flatMap((path) => path.split('.').map((_, at, all) => all.slice(0, at).join('.'))),
)

export function sectionsIn(input: unknown): { sections: Map<string, SectionValue>; faults: FieldError[] } {
  const values = new Map<string, unknown>()
  const faults: FieldError[] = []
  if (!isRecord(input)) {
    return { sections: new Map(), faults: [{ field: 'body', message: 'must be an object' }] }
  }
  collectValues(input, '', values, faults)
  const sections = new Map<string, SectionValue>()
  for (const [section, candidates] of Object.entries(sectionPaths)) {
    const present = candidates.filter((path) => values.has(path))
    const [at] = present
    if (at !== undefined) sections.set(section, { value: values.get(at), at })
    for (const duplicate of present.slice(1)) faults.push({ field: duplicate, message: `says again what ${at} says` })
  }
  return { sections, faults }
}

function collectValues(part: object, prefix: string, values: Map<string, unknown>, faults: FieldError[]): void {
  for (const [name, value] of Object.entries(part)) {
    const path = prefix === '' ? name : `${prefix}.${name}`
    if (value === undefined) continue
    if (knownPaths.has(path)) values.set(path, value)
    else if (!groupPaths.has(path)) faults.push({ field: path, message: 'is not a known section' })
    else if (!isRecord(value)) faults.push({ field: path, message: 'must be an object' })
    else collectValues(value, path, values, faults)
  }
}
