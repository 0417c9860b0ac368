/** The slots of a message template: `{person.firstName}`, with an optional fallback after a bar. */
import { identityFields } from '../resources/identity.js'
import { type MissingSlotPolicy, missingSlotPolicies } from '../resources/templates.js'

export interface Slot {
  readonly kind: 'slot'
  /** `person.firstName`, `person.customFields.plan`, `agent.websiteUrl`. */
  readonly path: string
  /** Replaces a missing value: a text, or the policy for its sentence or message. */
  readonly fallback?: { readonly text: string } | { readonly policy: MissingSlotPolicy }
}
export type Piece = { readonly kind: 'text'; readonly text: string } | Slot

/** Anything in braces that looks like a path counts as a slot, so that a typo is never sent to a person. */
const slotPattern = /\{ *([A-Za-z_][\w-]*(?:\.[\w-]+)*) *(?:\|([^{}]*))?\}/g

export function piecesOf(body: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const match of body.matchAll(slotPattern)) {
    if (match.index > from) pieces.push({ kind: 'text', text: body.slice(from, match.index) })
    pieces.push({ kind: 'slot', path: match[1]!, ...fallbackOf(match[2]) })
    from = match.index + match[0].length
  }
  if (from < body.length) pieces.push({ kind: 'text', text: body.slice(from) })
  return pieces
}

function fallbackOf(source: string | undefined): Pick<Slot, 'fallback'> {
  if (source === undefined) return {}
  const policy = missingSlotPolicies.find((each) => each === source.trim())
  return { fallback: policy ? { policy } : { text: source.trim() } }
}

export function slotsOf(body: string): Slot[] {
  return body.includes('{') ? piecesOf(body).filter((piece) => piece.kind === 'slot') : []
}

/** Fields of a Person that every agent has. */
export const personFields = [
  'id',
  'fullName',
  'firstName',
  'lastName',
  'email',
  'phone',
  'company',
  'title',
  'status',
  'notes',
  'source',
  'timezone',
  'productInterest',
  'assignedRepresentativeId',
  'lastCallAt',
  'scheduledCallAt',
  'consent.status',
] as const

const agentFields: readonly string[] = ['name', 'description', ...identityFields]

const customField = /^person\.customFields\.([A-Za-z_][\w-]*)$/

/** The custom field that a path reads; undefined for other paths. */
export function customFieldIn(path: string): string | undefined {
  return path.startsWith('person.customFields.') ? customField.exec(path)?.[1] : undefined
}

const readablePaths = new Set([
  ...personFields.map((field) => `person.${field}`),
  ...agentFields.map((field) => `agent.${field}`),
])

/** Whether a flow can read the path. What operators note about a person is not for agents. */
export function isReadableInFlow(path: string): boolean {
  return isReadable(path) && path !== 'person.notes'
}

/** Whether a path can have a value at all. */
export function isReadable(path: string): boolean {
  return readablePaths.has(path) || customFieldIn(path) !== undefined
}
