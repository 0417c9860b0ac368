/**
 * Schemas made into checks. Each is compiled when it is first needed. Those of bodies are compiled once the node is up:
 * all of them take longer than the start, and one of a large schema would delay other requests. A failed check names every
 * wrong field the way its writer would spell it.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { FieldError } from '../../core/errors.js'
import { patternWords } from '../../core/patternwords.js'
import type { Steps } from '../../core/steps.js'

/** Undefined when the value is as it should be. `bytes` is the size of what was sent: long lists get one finding only. */
export type Check = (value: unknown, bytes?: number) => FieldError[] | undefined

const settings = {
  strict: true,
  discriminator: true,
  useDefaults: true,
  allowUnionTypes: true,
  // Making the code of a check shorter takes a third of compiling it, and makes it no faster.
  code: { optimize: false },
} as const
const listAllUpToBytes = 16 * 1024
const mostErrors = 50

/** Whether schemas are schemas is looked at by `mustCompile` alone: making that check costs more than most of the others. */
const unlooked = { ...settings, meta: false, validateSchema: false } as const
const firstOnly = withFormats(new Ajv2020(unlooked))
const all = withFormats(new Ajv2020({ ...unlooked, allErrors: true }))
let looking: Ajv2020 | undefined

function withFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv)
  return ajv
}

/** Throws for a schema that is none. Those of routes are all tried by a test. */
export function mustCompile(schema: TSchema): void {
  looking ??= withFormats(new Ajv2020(settings))
  looking.compile(schema)
}

const ofBodies = new WeakMap<TSchema, Check>()

/** The check of a body; the same one for the same schema. */
export function bodyCheck(schema: TSchema): Check {
  const check = ofBodies.get(schema) ?? compileCheck(schema)
  ofBodies.set(schema, check)
  return check
}

/** Compiles the checks of bodies, one a step. */
export function* compileBodyChecks(schemas: Iterable<TSchema>): Steps<void> {
  for (const schema of schemas) {
    const check = bodyCheck(schema)
    // That a long body is wrong takes the quick check alone, that a short one is wrong the thorough one as well.
    for (const bytes of [listAllUpToBytes + 1, 0]) {
      check(undefined, bytes)
      yield
    }
  }
}

export function compileCheck(schema: TSchema, root = 'body'): Check {
  let quick: ValidateFunction | undefined
  let thorough: ValidateFunction | undefined
  return (value, bytes = 0) => {
    quick ??= firstOnly.compile(schema)
    if (quick(value)) return undefined
    if (bytes > listAllUpToBytes) return readable(quick.errors ?? [], root)
    thorough ??= all.compile(schema)
    thorough(value)
    return readable(thorough.errors ?? quick.errors ?? [], root)
  }
}

function readable(errors: readonly ErrorObject[], root: string): FieldError[] {
  const seen = new Map<string, FieldError>()
  for (const error of errors) {
    const field = fieldOf(error) || root
    if (!seen.has(field) && seen.size < mostErrors) seen.set(field, { field, message: messageOf(error) })
  }
  return [...seen.values()]
}

/** `/things/1/name` becomes `things[1].name`; a missing or unknown key is named itself, not the object around it. */
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

/** Null clears a field, and is no value to choose from. */
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
      return patternWords.get(error.params.pattern) ?? 'is not written as the API describes it'
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
