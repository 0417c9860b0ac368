/** Directives of a sandbox turn: the persona types, taps a shown option, sends a picture, or opts out. */
import Type, { type Static } from 'typebox'
import { isPattern, readPattern } from '../agent/pattern/index.js'
import { invalid, type Refusal } from '../errors.js'
import { directive as limits } from '../limits/index.js'

export const systemActions = ['optOut', 'optIn', 'subscribed', 'unsubscribed'] as const
export const tapActions = ['calendar', 'dial', 'url', 'viewLocation'] as const
export const mediaKinds = ['image', 'video'] as const

export type Directive =
  | { readonly text: string }
  | { readonly chip: string; readonly fallback?: string }
  | { readonly slot: number; readonly fallback?: string }
  | { readonly confirm: boolean; readonly fallback?: string }
  | { readonly system: (typeof systemActions)[number] }
  | { readonly action: (typeof tapActions)[number]; readonly label?: string }
  | { readonly media: (typeof mediaKinds)[number]; readonly url: string; readonly text?: string }

const optional = Type.Optional
const boundedText = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description && { description }) })

/** Every directive in one closed schema; `parseDirective` checks which members go together. */
export const DirectiveBody = Type.Object(
  {
    text: optional(boundedText(limits.textChars, 'Typed; beside media, its caption.')),
    chip: optional(boundedText(limits.chipChars, 'Taps the reply whose label holds this, or matches /this/i.')),
    slot: optional(Type.Integer({ minimum: 0, maximum: limits.slotMax, description: 'Picks that time, from 0.' })),
    confirm: optional(Type.Boolean({ description: 'Answers the last confirmation.' })),
    fallback: optional(boundedText(limits.textChars, 'Typed when there is nothing to tap.')),
    system: optional(Type.Enum([...systemActions])),
    action: optional(Type.Enum([...tapActions])),
    label: optional(
      boundedText(limits.labelChars, 'Which of several actions: its label holds this, or matches /this/i.'),
    ),
    media: optional(Type.Enum([...mediaKinds])),
    url: optional(boundedText(limits.urlChars)),
    simulate: optional(Type.Object({}, { additionalProperties: true, description: 'Not available yet.' })),
  },
  { additionalProperties: false, title: 'TurnDirective' },
)
export type DirectiveBody = Static<typeof DirectiveBody>
type Member = keyof DirectiveBody

/** The member that identifies each directive, and the members allowed beside it. */
const companions: Readonly<Partial<Record<Member, readonly Member[]>>> = {
  chip: ['fallback'],
  slot: ['fallback'],
  confirm: ['fallback'],
  system: [],
  action: ['label'],
  media: ['url', 'text'],
  simulate: [],
  text: [],
}
const primaryMembers = Object.keys(companions) as Member[]

/** The directive of a body that matches the schema, or its refusal. */
export function parseDirective(body: DirectiveBody): Directive | Refusal {
  const members = Object.keys(body) as Member[]
  const [primary, second] = primaryMembers.filter(
    (name) => members.includes(name) && !(name === 'text' && members.includes('media')),
  )
  if (primary === undefined) return invalid('text', 'is required, or another directive in its place')
  const unexpected = second ?? members.find((name) => name !== primary && !companions[primary]!.includes(name))
  if (unexpected !== undefined) return invalid(unexpected, `does not go with ${primary}`)
  return directiveRefusal(body, primary) ?? (body as Directive)
}

function directiveRefusal({ url, chip, label }: DirectiveBody, primary: Member): Refusal | undefined {
  if (primary === 'simulate') return invalid('simulate', 'is not available yet')
  if (primary === 'media' && !/^https?:\/\/[^\s/]+/i.test(url ?? '')) {
    return invalid('url', 'must be an address that begins with https:// or http://')
  }
  return patternRefusal('chip', chip) ?? patternRefusal('label', label)
}

function patternRefusal(field: Member, written: string | undefined): Refusal | undefined {
  const parsed = written === undefined ? undefined : readPattern(written)
  return parsed && !isPattern(parsed) ? invalid(field, parsed.problem) : undefined
}
