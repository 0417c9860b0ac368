/** The identity of an agent: the one source of its contact details. */

import Type, { type Static } from 'typebox'
import { business } from '../../catalogs/channel-forms.js'
import { agent as limits } from '../../limits/index.js'
import { describePattern } from '../../patterndescriptions.js'

/** A field that channel forms have as well takes their rule, without their title and description. */
function formRule(name: keyof typeof business): Readonly<Record<string, unknown>> {
  const { title: _title, description: _description, ...rule } = business[name] as Record<string, unknown>
  return rule
}

const rules = {
  smallLogoUrl: formRule('smallLogoUrl'),
  largeBannerUrl: formRule('largeBannerUrl'),
  defaultCardImageUrl: { ...formRule('largeBannerUrl'), description: 'Stands in on cards sent without a picture.' },
  brandColor: {
    type: 'string',
    pattern: describePattern('^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', 'must be a hex color such as #0a7cff'),
    description: 'A hex colour.',
  },
  contactEmail: formRule('contactEmail'),
  contactPhone: {
    type: 'string',
    pattern: describePattern('^\\+?[0-9(][0-9 ().-]{2,}$', 'must be a phone number such as +14155550100'),
    maxLength: limits.contactPhoneChars,
  },
  websiteUrl: formRule('websiteUrl'),
  privacyPolicyUrl: formRule('privacyPolicyUrl'),
  termsOfServiceUrl: formRule('termsOfServiceUrl'),
  contactAvailability: {
    type: 'string',
    maxLength: limits.contactAvailabilityChars,
    description: 'Shown unchanged to a person who asks for a human.',
  },
  identityPreamble: {
    type: 'string',
    maxLength: limits.identityPreambleChars,
    description: 'A line of every system prompt, whatever playbook is active.',
  },
} as const

export type IdentityField = keyof typeof rules
export const identityFields = Object.keys(rules) as IdentityField[]

function mapFields<T>(toSchema: (rule: Readonly<Record<string, unknown>>) => T): Record<IdentityField, T> {
  return Object.fromEntries(identityFields.map((name) => [name, toSchema(rules[name])])) as Record<IdentityField, T>
}

export const Identity = Type.Object(
  mapFields((rule) => Type.Optional(Type.Unsafe<string>(rule))),
  { additionalProperties: false, title: 'AgentIdentity' },
)
export type Identity = Static<typeof Identity>

/** Null removes a field. */
export const IdentityPatch = Type.Object(
  mapFields((rule) => Type.Optional(Type.Unsafe<string | null>({ ...rule, type: ['string', 'null'] }))),
  { additionalProperties: false, title: 'AgentIdentityPatch' },
)
export type IdentityPatch = Static<typeof IdentityPatch>
