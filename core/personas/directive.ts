/** What somebody does in one turn of a rehearsal: types, taps what was shown, sends a picture, opts out. */
import Type, { type Static } from 'typebox'
import { isPattern, readPattern } from '../agent/pattern/index.js'
import { invalid, type Refusal } from '../errors.js'
import { directive as limits } from '../limits.js'

export const systemActs = ['optOut', 'optIn', 'subscribed', 'unsubscribed'] as const
export const tapActions = ['calendar', 'dial', 'url', 'viewLocation'] as const
export const mediaKinds = ['image', 'video'] as const

export type Directive =
  | { readonly text: string }
  | { readonly chip: string; readonly fallback?: string }
  | { readonly slot: number; readonly fallback?: string }
  | { readonly confirm: boolean; readonly fallback?: string }
  | { readonly system: (typeof systemActs)[number] }
  | { readonly action: (typeof tapActions)[number]; readonly label?: string }
  | { readonly media: (typeof mediaKinds)[number]; readonly url: string; readonly text?: string }

const optional = Type.Optional
const words = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description && { description }) })

/** Every directive in one closed object: which members go together `directiveOf` says. */
export const DirectiveBody = Type.Object(
  {
    text: optional(words(limits.textChars, 'Typed; beside media, its caption.')),
    chip: optional(words(limits.chipChars, 'Taps the reply whose label holds this, or matches /this/i.')),
    slot: optional(Type.Integer({ minimum: 0, maximum: limits.slotMost, description: 'Picks that time, from 0.' })),
    confirm: optional(Type.Boolean({ description: 'Answers the last confirmation.' })),
    fallback: optional(words(limits.textChars, 'Typed when there is nothing to tap.')),
    system: optional(Type.Enum([...systemActs])),
    action: optional(Type.Enum([...tapActions])),
    label: optional(words(limits.labelChars, 'Which of several actions: its label holds this, or matches /this/i.')),
    media: optional(Type.Enum([...mediaKinds])),
    url: optional(words(limits.urlChars)),
    simulate: optional(Type.Object({}, { additionalProperties: true, description: 'Not available yet.' })),
  },
  { additionalProperties: false, title: 'TurnDirective' },
)
export type DirectiveBody = Static<typeof DirectiveBody>
type Member = keyof DirectiveBody

/** What makes a directive the one it is, and what may stand beside it. */
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
const heads = Object.keys(companions) as Member[]

/** The directive that a well-shaped body is, or what is wrong with it. */
export function directiveOf(body: DirectiveBody): Directive | Refusal {
  const given = Object.keys(body) as Member[]
  const [head, second] = heads.filter((name) => given.includes(name) && !(name === 'text' && given.includes('media')))
  if (head === undefined) return invalid('text', 'is required, or another directive in its place')
  const stray = second ?? given.find((name) => name !== head && !companions[head]!.includes(name))
  if (stray !== undefined) return invalid(stray, `does not go with ${head}`)
  return wrongIn(body, head) ?? (body as Directive)
}

function wrongIn({ url, chip, label }: DirectiveBody, head: Member): Refusal | undefined {
  if (head === 'simulate') return invalid('simulate', 'is not available yet')
  if (head === 'media' && !/^https?:\/\/[^\s/]+/i.test(url ?? '')) {
    return invalid('url', 'must be an address that begins with https:// or http://')
  }
  return wrongPattern('chip', chip) ?? wrongPattern('label', label)
}

function wrongPattern(field: Member, written: string | undefined): Refusal | undefined {
  const read = written === undefined ? undefined : readPattern(written)
  return read && !isPattern(read) ? invalid(field, read.problem) : undefined
}
