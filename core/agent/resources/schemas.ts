/** Schema helpers of the agent document: closed objects, bounded texts, ids. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { slugPattern } from '../../ids.js'
import { agentLimits as limits } from '../../limits/index.js'
import { describePattern as withMessage } from '../../patterndescriptions.js'

export function closedObject<P extends TProperties>(title: string, properties: P, more: object = {}) {
  return Type.Object(properties, { additionalProperties: false, title, ...more })
}

/** Any text, an empty one included. */
export const text = (maxLength: number, more: object = {}) => Type.String({ maxLength, ...more })

/** Text with at least one character that is no space. */
export const nonEmptyText = (maxLength: number, more: object = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: withMessage('\\S', 'must not be empty'), ...more })

export const optional = Type.Optional

/** Null removes a field. */
export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

export const slug = Type.String({
  pattern: withMessage(
    slugPattern,
    'must be a slug: lower-case letters, digits and hyphens, at most 63, a letter or digit first',
  ),
})

/** Ids that callers choose: anything that can stand in a path or a marker. */
export const freeId = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: withMessage(
      '^[^\\s,\\[\\]|]([^\\n\\r,\\[\\]|]*[^\\s,\\[\\]|])?$',
      'must not hold commas, brackets, bars or line breaks, nor begin or end with space',
    ),
  })

export const qualifiedId = Type.String({
  maxLength: limits.qualifiedIdChars,
  pattern: withMessage(
    '^@svc/[a-z]+\\.[a-z0-9][a-z0-9-]*$',
    'must be the id of a catalog entry, such as @svc/playbook.booking',
  ),
})

/** Refuses credentials in an address, where reads and exports would show them: they belong in sealed fields. */
export const webUrl = (maxLength: number, more: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: withMessage(
      '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+([/?#][^\\s]*)?$',
      'must be an address that begins with https:// or http://, without a user name or password',
    ),
    ...more,
  })

/**
 * Credentials in an address within a text, which people read and exports contain. A user name has only the characters
 * that addresses allow there, so that another @ after an address does not match.
 */
export const urlWithCredentials = /https?:\/\/[\w.~%!$&'()*+,;=:{}-]+@/i

export const email = Type.String({
  maxLength: limits.emailChars,
  pattern: withMessage('^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', 'must be an e-mail address'),
})

export const clock = Type.String({
  pattern: withMessage('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'must be a time of day such as 09:30'),
})

/** A time of day that ends something: midnight is 24:00. */
export const endClock = Type.String({
  pattern: withMessage('^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', 'must be a time of day such as 17:30, at most 24:00'),
})

export const day = Type.String({
  pattern: withMessage('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$', 'must be a day such as 2030-05-14'),
})

export const moment = Type.String({
  maxLength: 40,
  pattern: withMessage(
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$',
    'must be a moment in ISO 8601',
  ),
})

/** Keys that callers choose and that serve as names: custom fields, slots. */
export const key = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: withMessage(
      '^[A-Za-z_][A-Za-z0-9_-]*$',
      'must begin with a letter and hold letters, digits, underscores and hyphens only',
    ),
  })

export const matching = (pattern: string, must: string, maxLength: number) =>
  Type.String({ maxLength, pattern: withMessage(pattern, must) })

/** Values under keys that the caller chooses. */
export const record = <T>(values: object, more: object = {}) =>
  Type.Unsafe<Record<string, T>>({ type: 'object', additionalProperties: values, ...more })

/** Any JSON object. */
export const anyObject = (more: object = {}) => Type.Unsafe<Record<string, unknown>>({ type: 'object', ...more })

/** A union whose variants differ in the value of one member. */
export function taggedUnion<S extends TSchema[]>(propertyName: string, oneOf: [...S], title: string) {
  return Type.Unsafe<Static<S[number]>>({
    type: 'object',
    title,
    discriminator: { propertyName },
    oneOf,
  })
}

export const DerivedFrom = closedObject('DerivedFrom', {
  templateId: qualifiedId,
  version: Type.String({ maxLength: 40 }),
})
export type DerivedFrom = Static<typeof DerivedFrom>
