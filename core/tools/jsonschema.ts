/**
 * Checks a value against a JSON Schema that an operator wrote (draft 2020-12 without `unevaluated…`; unknown keywords
 * are ignored). Schema and value may be hostile: every keyword counts as a step, and a check that takes too many steps
 * or nests too deeply ends with a fault.
 */
import { isRecord } from '../json.js'
import { tools as limits } from '../limits/index.js'
import {
  faultAt,
  firstFault,
  hasMember,
  type Members,
  type NamedKeyword,
  newRun,
  ofList,
  ofObject,
  type Run,
  type SchemaFault,
  stop,
  stopMalformed,
  takeSteps,
} from './schemarun.js'
import { matchPattern, valueKeywords } from './valuekeywords.js'

/** The first fault of the value; undefined for a value that fits. */
export function faultOf(schema: unknown, value: unknown): SchemaFault | undefined {
  const run = newRun(schema)
  const fault = check(schema, value, run)
  return run.stopped ?? fault
}

function check(schema: unknown, value: unknown, run: Run): SchemaFault | undefined {
  if (typeof schema === 'boolean') return schema ? undefined : faultAt(run, 'is not expected')
  if (!isRecord(schema)) return stop(run, 'is described by something that is no schema')
  if (++run.depth > limits.schemaDepth) return stop(run, 'is described by a schema that is nested too deeply')
  let fault: SchemaFault | undefined
  for (const [name, keyword] of keywords) {
    if (!Object.hasOwn(schema, name)) continue
    fault = takeSteps(run, 1) ?? keyword(schema[name], value, run, schema)
    if (fault) break
  }
  run.depth--
  return fault
}

function checkBelow(schema: unknown, value: unknown, part: string | number, run: Run): SchemaFault | undefined {
  run.path.push(part)
  const fault = check(schema, value, run)
  run.path.pop()
  return fault
}

/** Members that neither `properties` nor `patternProperties` describes. */
function otherMembers({ properties, patternProperties }: Members, value: Members, run: Run): string[] {
  const known = isRecord(properties) ? properties : {}
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : []
  return Object.keys(value).filter((name) => {
    if (Object.hasOwn(known, name) || !hasMember(value, name)) return false
    return !patterns.some((pattern) => matchPattern(patternProperties as Members, pattern, name, run) !== false)
  })
}

function resolve(reference: string, root: unknown): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  const parts = reference.slice(2).split('/').map(decodePart)
  return reference === '#'
    ? root
    : parts.reduce<unknown>(
        (at, part) =>
          (isRecord(at) || Array.isArray(at)) && Object.hasOwn(at, part) ? (at as Members)[part] : undefined,
        root,
      )
}

function decodePart(part: string): string {
  const plain = /%[0-9A-Fa-f]{2}/.test(part) ? part.replace(/%([0-7][0-9A-Fa-f])/g, asciiOf) : part
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}

const asciiOf = (_escape: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))

const applicators: readonly NamedKeyword[] = [
  [
    'propertyNames',
    (operand, value, run) =>
      isRecord(value) ? firstFault(Object.keys(value), (name) => checkBelow(operand, name, name, run)) : undefined,
  ],
  ofObject('properties', (operand, value, run) =>
    firstFault(Object.keys(operand), (name) =>
      hasMember(value, name) ? checkBelow(operand[name], value[name], name, run) : takeSteps(run, 1),
    ),
  ),
  ofObject('patternProperties', (operand, value, run) =>
    firstFault(Object.keys(operand), (pattern) =>
      firstFault(Object.keys(value), (name) => {
        const match = matchPattern(operand, pattern, name, run)
        if (typeof match === 'object') return match
        return match ? checkBelow(operand[pattern], value[name], name, run) : undefined
      }),
    ),
  ),
  [
    'additionalProperties',
    (operand, value, run, schema) => {
      if (!isRecord(value)) return undefined
      return firstFault(otherMembers(schema, value, run), (name) => {
        if (operand === false) return faultAt(run, 'is not a known field', name)
        return takeSteps(run, 1) ?? checkBelow(operand, value[name], name, run)
      })
    },
  ],
  ofObject('dependentSchemas', (operand, value, run) =>
    firstFault(Object.keys(operand), (name) =>
      hasMember(value, name) ? check(operand[name], value, run) : takeSteps(run, 1),
    ),
  ),
  ofList('prefixItems', (schemas, value, run) => {
    if (!Array.isArray(value)) return undefined
    const described = schemas.slice(0, value.length)
    return firstFault(described.entries(), ([index, each]) => checkBelow(each, value[index], index, run))
  }),
  [
    'items',
    (operand, value, run, { prefixItems }) => {
      if (!Array.isArray(value)) return undefined
      const from = Array.isArray(prefixItems) ? prefixItems.length : 0
      return firstFault(value.slice(from).entries(), ([index, each]) => {
        return takeSteps(run, 1) ?? checkBelow(operand, each, from + index, run)
      })
    },
  ],
  [
    'contains',
    (operand, value, run, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) => {
      if (!Array.isArray(value)) return undefined
      const count = value.filter((each) => check(operand, each, run) === undefined).length
      if (count < Number(minContains)) return faultAt(run, 'does not hold what it must hold')
      return count > Number(maxContains) ? faultAt(run, 'holds too much of one kind') : undefined
    },
  ],
  [
    '$ref',
    (operand, value, run) => {
      const target = typeof operand === 'string' ? resolve(operand, run.root) : undefined
      return target === undefined ? stopMalformed(run, '$ref') : check(target, value, run)
    },
  ],
  ofList('allOf', (schemas, value, run) => firstFault(schemas, (each) => check(each, value, run))),
  ofList('anyOf', (schemas, value, run) =>
    schemas.some((each) => check(each, value, run) === undefined)
      ? undefined
      : faultAt(run, 'fits none of the forms that it may have'),
  ),
  ofList('oneOf', (schemas, value, run) => {
    const count = schemas.filter((each) => check(each, value, run) === undefined).length
    if (count === 1) return undefined
    return faultAt(run, count === 0 ? 'fits none of the forms that it may have' : 'fits more than one form')
  }),
  ['not', (operand, value, run) => (check(operand, value, run) ? undefined : faultAt(run, 'is not allowed'))],
  [
    'if',
    (operand, value, run, { then: thenSchema = true, else: elseSchema = true }) =>
      check(check(operand, value, run) ? elseSchema : thenSchema, value, run),
  ],
]

/** A value is described by itself first, so that a fault names the plainest reason. */
const keywords = [...valueKeywords, ...applicators]
