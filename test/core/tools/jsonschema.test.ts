/** The check of JSON Schemas that operators write: it agrees with ajv, and hostile schemas neither hang nor explode. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { tools as limits } from '../../../core/limits/index.js'
import { faultOf } from '../../../core/tools/jsonschema.js'

const name = fc.constantFrom('a', 'b', 'c', 'x-d')
const small = fc.integer({ min: 0, max: 4 })
const scalar = fc.oneof(fc.constantFrom('', 'a', 'ab', 'é😀', 'zz9'), fc.integer({ min: -3, max: 9 }), fc.boolean())
const leaf = fc.oneof(scalar, fc.constant(null))
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(name, tie('any'), { noNullPrototype: true }),
  ),
})).any
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const
const pattern = fc.constantFrom('^a', 'b$', '[0-9]+', '^x-')

/** Every keyword that is read, with operands as a schema has them. */
const schema = fc.letrec((tie) => {
  const one = tie('schema')
  const several = fc.array(one, { minLength: 1, maxLength: 3 })
  const named = fc.dictionary(name, one, { maxKeys: 3 })
  const names = fc.uniqueArray(name, { maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
          enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, comparator: 'SameValueZero' }),
          const: value,
          minLength: small,
          maxLength: small,
          pattern,
          minimum: small,
          maximum: small,
          exclusiveMinimum: small,
          exclusiveMaximum: small,
          multipleOf: fc.constantFrom(1, 2, 3),
          required: names,
          minProperties: small,
          maxProperties: small,
          dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
          uniqueItems: fc.boolean(),
          minItems: small,
          maxItems: small,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: named,
          patternProperties: fc.dictionary(pattern, one, { maxKeys: 2 }),
          additionalProperties: one,
          propertyNames: one,
          dependentSchemas: named,
          prefixItems: several,
          items: one,
          allOf: several,
          anyOf: several,
          oneOf: several,
          not: one,
          if: one,
          // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
          then: one,
          else: one,
        },
        { requiredKeys: [] },
      ),
      fc.record({ $ref: fc.constantFrom('#/$defs/one', '#/$defs/two%20words', '#/$defs/sl~1ash') }),
    ),
  }
}).schema

/** Of some schemas ajv generates code that names a variable which it has optimized away. */
function judge(isValid: (value: unknown) => unknown, given: unknown): unknown {
  try {
    return isValid(given)
  } catch (error) {
    if (error instanceof ReferenceError) return 'none'
    throw error
  }
}

t.test('A value fits a schema exactly when ajv says so', async (t) => {
  const defs = { one: { type: 'string' }, 'two words': { minItems: 1 }, 'sl/ash': { required: ['a'] } }
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false })
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 5, maxLength: 10 }), (described, values) => {
      const root = { $defs: defs, allOf: [described] }
      const isValid = ajv.compile(root)
      ajv.removeSchema(root)
      for (const each of values) {
        const verdict = judge(isValid, each)
        const fault = faultOf(root, each)
        if (verdict !== 'none' && verdict !== (fault === undefined)) {
          throw new Error(`${JSON.stringify(each)}: ${fault?.message}`)
        }
      }
    }),
    { numRuns: 150 },
  )
  t.pass()
})

t.test('A list contains what it must, as often as it must', async (t) => {
  // A table, because ajv finds anything in an empty list as soon as a schema beside this one describes its items.
  const cases: [object, number, number][] = [
    [{}, 1, 4],
    [{ minContains: 0 }, 0, 4],
    [{ minContains: 2 }, 2, 4],
    [{ maxContains: 1 }, 1, 1],
    [{ minContains: 0, maxContains: 2 }, 0, 2],
  ]
  for (const [counts, min, max] of cases) {
    for (const texts of [0, 1, 2, 3, 4]) {
      const fault = faultOf({ contains: { type: 'string' }, ...counts }, [7, ...Array(texts).fill('a'), null])
      t.equal(fault === undefined, texts >= min && texts <= max, `${texts} with ${JSON.stringify(counts)}`)
    }
  }
})

t.test('A fault names the field and what it must be', async (t) => {
  const order = {
    type: 'object',
    properties: {
      guests: { type: 'integer', minimum: 1 },
      mail: { type: 'string', format: 'email' },
      size: { enum: ['small', 'large'] },
      rooms: { type: 'array', items: { type: 'object', properties: { name: { type: 'string', minLength: 1 } } } },
    },
    required: ['guests'],
    additionalProperties: false,
  }
  const cases: [unknown, readonly (string | number)[], string][] = [
    [{}, ['guests'], 'is required'],
    [{ guests: undefined }, ['guests'], 'is required'],
    [{ guests: 'two' }, ['guests'], 'must be a whole number'],
    [{ guests: 0 }, ['guests'], 'must be at least 1'],
    [{ guests: 1, mail: 'nobody' }, ['mail'], 'must be a valid email'],
    [{ guests: 1, size: 'huge' }, ['size'], 'must be one of small, large'],
    [{ guests: 1, rooms: [{ name: 'a' }, { name: '' }] }, ['rooms', 1, 'name'], 'must not be empty'],
    [{ guests: 1, pets: 2 }, ['pets'], 'is not a known field'],
    ['two', [], 'must be an object'],
  ]
  for (const [given, path, message] of cases) t.same(faultOf(order, given), { path, message }, JSON.stringify(given))
  t.equal(faultOf(order, { guests: 2, mail: undefined }), undefined, 'and what is undefined does not reach the tool')
})

/** Each definition leads to the next one twice: read without a bound, the value is visited 2^40 times. */
function doublingSchema(keyword: string) {
  const defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, { [keyword]: [next, next] }]
    }),
  )
  return { $defs: { ...defs, d40: { type: 'string' } }, $ref: '#/$defs/d0' }
}

t.test('A hostile schema ends with a fault, after a bounded number of steps', async (t) => {
  const nested = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : { allOf: [nested(depth - 1, inner)] }
  const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, index]))
  const hostile: [string, unknown, unknown][] = [
    ['references that double', doublingSchema('anyOf'), 1],
    ['the same, met', doublingSchema('allOf'), 'text'],
    ['the same, negated', { $defs: doublingSchema('anyOf').$defs, not: { $ref: '#/$defs/d0' } }, 1],
    ['a reference to itself', { $ref: '#' }, 1],
    [
      'two that name each other',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      1,
    ],
    ['a deep one', nested(5_000, { type: 'string' }), 'text'],
    ['long lists to compare', { uniqueItems: true }, Array.from({ length: 5_000 }, (_, index) => [index])],
    ['many patterns', { patternProperties: Object.fromEntries(Object.keys(wide).map((each) => [each, {}])) }, wide],
    ['a pattern with many states', { pattern: '(a{0,30}b?){30}c' }, 'ab'.repeat(8_000)],
    ['many choices', { allOf: Array.from({ length: 200 }, () => ({ enum: Object.keys(wide) })) }, 'p2999'],
  ]
  for (const [title, described, given] of hostile) {
    const fault = faultOf(described, given)
    t.match(fault?.message, /too many steps|nested too deeply|pattern that/, title)
  }
  t.ok(limits.argumentsSteps < 100_000)
})

t.test(
  'A pattern never reaches the backtracking engine, and one that cannot run in linear time is refused',
  async (t) => {
    t.match(faultOf({ pattern: '^(a+)+$' }, `${'a'.repeat(4_000)}!`), { message: /must match|too many steps/ })
    t.match(faultOf({ pattern: '(?=a)b' }, 'b'), { message: /^is described by a pattern that / })
    t.match(faultOf({ pattern: '(' }, 'b'), { message: /^is described by a pattern that / })
    t.match(faultOf({ patternProperties: { '(?<!a)b': {} } }, { b: 1 }), {
      message: /^is described by a pattern that /,
    })
  },
)

t.test('A schema that is none is a fault of the schema, even where an alternative would do', async (t) => {
  for (const described of [
    { type: 'text' },
    { type: 'constructor' },
    { properties: [] },
    { properties: { a: null } },
    { required: 'a' },
    { minLength: 'long' },
    { anyOf: [{ $ref: 'https://example.com/other' }, true] },
    { anyOf: [{ $ref: '#/nowhere' }, true] },
    { not: { allOf: {} } },
    7,
  ]) {
    t.match(faultOf(described, described === 7 ? 1 : { a: 'x' }) ?? faultOf(described, 'x'), {
      message: /is described by/,
    })
  }
})

t.test('Names of members that every object inherits are names like any other', async (t) => {
  const described = {
    properties: { constructor: { type: 'string' } },
    required: ['toString'],
    additionalProperties: false,
  }
  t.match(faultOf(described, {}), { path: ['toString'], message: 'is required' })
  t.match(faultOf({ ...described, required: [] }, { valueOf: 1 }), { path: ['valueOf'] })
  t.equal(faultOf({ ...described, required: [] }, {}), undefined)
  t.match(faultOf({ $ref: '#/__proto__' }, {}), { message: /cannot be read/ })
})

t.test('Unknown keywords and formats, and those that begin with x-, say nothing about a value', async (t) => {
  t.equal(
    faultOf({ 'x-idempotent': true, format: 'shoe-size', unevaluatedProperties: false, title: 7 }, 'a'),
    undefined,
  )
  t.equal(faultOf({ format: 'regex' }, '('.repeat(1_000)), undefined)
  t.match(faultOf({ format: 'uri' }, `https://example.com/${'a'.repeat(limits.formatChars)}`), { message: /valid uri/ })
})
