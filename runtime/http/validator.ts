/**
 * Checks compiled from schemas, each with its first use. Checks of bodies are compiled after the start of the node: all
 * of them take longer than the start, and one of a large schema would delay other requests. A failed check names every
 * wrong field as the caller spells it.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { FieldError } from '../../core/errors.js'
import { patternDescriptions } from '../../core/patterndescriptions.js'
import type { Steps } from '../../core/steps.js'

/** Undefined for a valid value. `bytes` is the size of the body: only the first error of a long one is reported. */
export type Check = (value: unknown, bytes?: number) => FieldError[] | undefined

const settings = {
  strict: true,
  discriminator: true,
  useDefaults: true,
  allowUnionTypes: true,
  // Ajv's optimizer lengthens compilation, and V8 optimizes the code of a check all the same.
  code: { optimize: false },
} as const
const listAllUpToBytes = 16 * 1024
const maxErrors = 50

/** Only `mustCompile` validates schemas: the check that does so takes longer to compile than most others. */
const trustedSettings = { ...settings, meta: false, validateSchema: false } as const
const firstOnly = withFormats(new Ajv2020(trustedSettings))
const all = withFormats(new Ajv2020({ ...trustedSettings, allErrors: true }))
let strictAjv: Ajv2020 | undefined

function withFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv)
  return ajv
}

/** Throws for a schema that is not valid. A test compiles the schemas of all routes. */
export function mustCompile(schema: TSchema): void {
  strictAjv ??= withFormats(new Ajv2020(settings))
  strictAjv.compile(schema)
}

const bodyChecks = new WeakMap<TSchema, Check>()

/** The check of a body, cached by its schema. */
export function bodyCheck(schema: TSchema): Check {
  const check = bodyChecks.get(schema) ?? compileCheck(schema)
  bodyChecks.set(schema, check)
  return check
}

/** Compiles the checks of bodies, one in each step. */
export function* compileBodyChecks(schemas: Iterable<TSchema>): Steps<void> {
  for (const schema of schemas) {
    const check = bodyCheck(schema)
    // A long body that is wrong needs the quick check only, a short one the thorough check as well.
    for (const bytes of [listAllUpToBytes + 1, 0]) {
      check(undefined, bytes)
      yield
    }
  }
}

export function compileCheck(schema: TSchema, root = 'body'): Check {
  let checkFirst: ValidateFunction | undefined
  let checkAll: ValidateFunction | undefined
  return (value, bytes = 0) => {
    checkFirst ??= firstOnly.compile(schema)
    if (checkFirst(value)) return undefined
    if (bytes > listAllUpToBytes) return toFieldErrors(checkFirst.errors ?? [], root)
    checkAll ??= all.compile(schema)
    checkAll(value)
    return toFieldErrors(checkAll.errors ?? checkFirst.errors ?? [], root)
  }
}

function toFieldErrors(errors: readonly ErrorObject[], root: string): FieldError[] {
  const errorsByField = new Map<string, FieldError>()
  for (const error of errors) {
    const field = fieldOf(error) || root
    if (!errorsByField.has(field) && errorsByField.size < maxErrors)
      errorsByField.set(field, { field, message: messageOf(error) })
  }
  return [...errorsByField.values()]
}

/** Turns `/things/1/name` into `things[1].name`. For a missing or unknown key it names the key and not its object. */
function fieldOf(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = error.params.missingProperty ?? error.params.additionalProperty ?? error.params.unevaluatedProperty
  if (typeof last === 'string') parts.push(last)
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function namesOf(types: string | readonly string[]): string {
  return [types]
    .flat()
    .map((type) => typeNames[type] ?? type)
    .join(' or ')
}

/** Null clears a field, so it is not listed as a choice. */
function choicesOf(values: readonly unknown[]): string {
  return values.filter((value) => value !== null).join(', ')
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known field'
    case 'enum':
      return `must be one of ${choicesOf(error.params.allowedValues)}`
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`
    case 'format':
      return `must be a valid ${String(error.params.format)}`
    case 'pattern':
      return patternDescriptions.get(error.params.pattern) ?? 'is not written as the API describes it'
    case 'type':
      return `must be ${namesOf(error.params.type)}`
    case 'minLength':
      return error.params.limit > 1 ? `must have at least ${error.params.limit} characters` : 'must not be empty'
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`
    case 'minItems':
      return `must hold at least ${error.params.limit}`
    case 'maxItems':
      return `must hold at most ${error.params.limit}`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    case 'uniqueItems':
      return `must not hold the same value twice, as at ${error.params.i} and ${error.params.j}`
    default:
      return error.message ?? 'is not valid'
  }
}
