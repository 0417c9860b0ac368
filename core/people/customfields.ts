/** Types of declared custom fields; values are stored as text and must parse as their type. */
import type { FieldError } from '../errors.js'
import { isMoment } from '../moment.js'

export type CustomFieldType = 'string' | 'number' | 'boolean' | 'date'

/** A field that the agent declares for its people. */
export interface DeclaredField {
  readonly key: string
  readonly label: string
  /** Absent: text. */
  readonly type?: CustomFieldType
}

const number = /^[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?$/

const errorByType: Readonly<Record<CustomFieldType, (text: string) => string | undefined>> = {
  string: () => undefined,
  number: (text) => (number.test(text) && Number.isFinite(Number(text)) ? undefined : 'must be a number'),
  boolean: (text) => (/^(?:true|false)$/i.test(text) ? undefined : 'must be true or false'),
  date: (text) => (isMoment(text) ? undefined : 'must be a date in ISO 8601'),
}

/** The fault of a value for its type; a blank value removes the field and is valid for every type. */
export function customValueError(type: CustomFieldType | undefined, value: string): string | undefined {
  const text = value.trim()
  return type === undefined || text === '' ? undefined : errorByType[type](text)
}

export function customTypesOf(declared: readonly DeclaredField[]): ReadonlyMap<string, CustomFieldType> {
  return new Map(declared.flatMap(({ key, type }) => (type === undefined ? [] : [[key, type] as const])))
}

export function customTypeFaults(
  fields: Readonly<Record<string, string | number | boolean | null>>,
  declared: readonly DeclaredField[],
): FieldError[] {
  const types = customTypesOf(declared)
  return Object.entries(fields).flatMap(([key, value]) => {
    const message = value === null ? undefined : customValueError(types.get(key), String(value))
    return message === undefined ? [] : [{ field: `customFields.${key}`, message }]
  })
}
