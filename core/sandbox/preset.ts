/** The preset of a persona, and the sandbox person that is made from it. */
import Type, { type Static } from 'typebox'
import { isRefusal, type Refusal } from '../errors.js'
import { persona as limits, person as people } from '../limits/index.js'
import { applyChange, newPerson } from '../people/change.js'
import { consentStatuses, type Person, type PersonIdentity, personStatuses } from '../people/person.js'
import { textsOf } from '../people/view.js'

const closed = { additionalProperties: false } as const
const optional = Type.Optional
const text = (maxLength: number) => optional(Type.String({ maxLength }))
const { textChars } = people

export const PersonaFields = Type.Object(
  {
    fullName: text(textChars.fullName),
    firstName: text(textChars.firstName),
    lastName: text(textChars.lastName),
    email: text(textChars.email),
    phone: text(textChars.phone),
    company: text(textChars.company),
    title: text(textChars.title),
    productInterest: text(limits.productInterestChars),
    status: optional(Type.Enum([...personStatuses])),
    source: optional(Type.String({ minLength: 1, maxLength: people.sourceChars })),
    customFields: optional(
      Type.Unsafe<Record<string, string | number | boolean>>({
        type: 'object',
        maxProperties: people.customFields,
        additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: limits.customValueChars },
      }),
    ),
    assignedRepresentativeId: text(textChars.assignedRepresentativeId),
    tags: optional(Type.Array(Type.String({ minLength: 1, maxLength: people.tagChars }), { maxItems: people.tags })),
    notes: text(textChars.notes),
  },
  { ...closed, title: 'PersonaFields' },
)
export type PersonaFields = Static<typeof PersonaFields>

export const PersonaConsent = Type.Object(
  { status: Type.Enum([...consentStatuses]) },
  { ...closed, title: 'PersonaConsent' },
)

/** Messages from before the conversation starts. */
export const HistorySeed = Type.Array(
  Type.Object(
    {
      role: Type.Enum(['user', 'assistant']),
      content: Type.String({ minLength: 1, maxLength: limits.seedChars }),
    },
    { ...closed, title: 'PersonaHistoryLine' },
  ),
  { maxItems: limits.seedLines },
)
export type HistorySeed = Static<typeof HistorySeed>

export const presetMembers = {
  fields: optional(PersonaFields),
  consent: optional(PersonaConsent),
  historySeed: optional(HistorySeed),
}
export const PersonaPreset = Type.Object(presetMembers, { ...closed, title: 'PersonaPreset' })
export type PersonaPreset = Static<typeof PersonaPreset>

/** A person has no such field, so it is stored as a custom field. */
const interestField = 'productInterest'
/** The source of a persona that gives none. */
const defaultSource = 'persona'

interface PersonSeed {
  readonly id: string
  readonly identity: PersonIdentity
  readonly at: number
}

export function personOf({ fields = {}, consent }: PersonaPreset, { id, identity, at }: PersonSeed): Person | Refusal {
  const { productInterest, customFields, ...own } = fields
  const custom = { ...customFields, ...(productInterest !== undefined && { [interestField]: productInterest }) }
  const blank: Person = { ...newPerson(id, defaultSource, at), identities: [identity], sandbox: true }
  const created = applyChange(blank, { ...own, customFields: custom, ...(consent && { consent }) }, at)
  return isRefusal(created) && created.errors
    ? { ...created, errors: created.errors.map((each) => ({ ...each, field: `fields.${each.field}` })) }
    : created
}

/** What is known of the person now, in the fields of a preset. */
export function fieldsOf(person: Person): PersonaFields {
  const { [interestField]: productInterest, ...custom } = person.customFields ?? {}
  const { timezone: _notOfPresets, ...texts } = textsOf(person)
  return {
    ...texts,
    ...(productInterest !== undefined && { productInterest }),
    status: person.status,
    source: person.source,
    ...(Object.keys(custom).length > 0 && { customFields: custom }),
    ...(person.tags && { tags: [...person.tags] }),
  }
}
