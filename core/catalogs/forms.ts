/** Helpers for forms and tool calls: each returns a piece of JSON Schema, draft 2020-12. */

import type { FormSchema } from '../channel/form.js'
import { describePattern } from '../patterndescriptions.js'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

type Field = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, Field>>

/** A group of fields, or the arguments of a tool. Other members are refused. */
export function fields(properties: Fields, required: readonly string[] = []): FormSchema {
  const schema = { type: 'object' as const, properties, required, additionalProperties: false }
  return schema
}

/**
 * A form that an operator fills in. It names its dialect; a tool call does not, because a model reads that on every
 * turn.
 */
export function form(properties: Fields, required: readonly string[] = [], rules: Field = {}): FormSchema {
  const schema = { $schema: dialect, ...fields(properties, required), ...rules }
  return schema
}

export function textField(title: string, description: string, more: Field = {}): Field {
  return { type: 'string', minLength: 1, maxLength: 200, title, description, ...more }
}

/** Stored encrypted and apart, and never shown again. */
export function secretField(title: string, description: string, more: Field = {}): Field {
  return { type: 'string', minLength: 1, maxLength: 4096, writeOnly: true, title, description, ...more }
}

export function urlField(title: string, description: string): Field {
  return {
    type: 'string',
    format: 'uri',
    pattern: describePattern(
      '^https?://[^\\s/?#@\\\\]+([/?#]|$)',
      'must be an address that begins with https:// or http://, without a user name or password',
    ),
    maxLength: 2048,
    title,
    description,
  }
}

export function emailField(title: string, description: string): Field {
  return { type: 'string', format: 'email', maxLength: 254, title, description }
}

export function phoneField(title: string, description: string): Field {
  return { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$', title, description }
}

export function choiceField(title: string, description: string, values: readonly string[], more: Field = {}): Field {
  return { type: 'string', enum: values, title, description, ...more }
}

export function countField(
  title: string,
  description: string,
  minimum: number,
  maximum: number,
  more: Field = {},
): Field {
  return { type: 'integer', minimum, maximum, title, description, ...more }
}

export function listField(title: string, description: string, items: Field, minItems: number, maxItems: number): Field {
  return { type: 'array', items, minItems, maxItems, uniqueItems: true, title, description }
}

/** Names a connection of the org by its id, for tools that people can sign in for. */
export function connectionField(): Field {
  return textField('Connection', 'Id of a connection of the org, whose sign-in is used in place of keys and passwords.')
}

/** A field of a tool call: the model reads only its description. */
export function argumentField(description: string, more: Field = {}): Field {
  return { type: 'string', minLength: 1, maxLength: 500, description, ...more }
}
