/** Arguments of a call, and what the schema of an integration says to Parley (decision 18). */
import fc from 'fast-check'
import t from 'tap'
import { listCatalog } from '../../../core/catalogs/index.js'
import { tools as limits } from '../../../core/limits/index.js'
import { argumentProblem } from '../../../core/tools/arguments.js'
import { builtInTool, builtInTools } from '../../../core/tools/builtin.js'
import { extensionsOf, withoutExtensions } from '../../../core/tools/extensions.js'

const book = builtInTool('scheduling.book')?.parameters

t.test('A problem of arguments is one sentence that names the field', async (t) => {
  t.equal(argumentProblem(book, { start: '2030-05-14T10:00:00+02:00', durationMinutes: 30 }), undefined)
  t.equal(argumentProblem(book, {}), 'start is required.')
  t.equal(argumentProblem(book, { start: 'tomorrow' }), 'start must be a valid date-time.')
  t.equal(argumentProblem(book, { start: '2030-05-14T10:00:00Z', price: 1 }), 'price is not a known field.')
  t.equal(argumentProblem(book, 'tomorrow'), 'The arguments must be an object.')
  t.equal(argumentProblem(false, {}), 'What is given is not expected.')
  t.equal(argumentProblem({}, { anything: [1, { of: 'any kind' }] }), undefined, 'an empty schema takes everything')
})

t.test('Arguments beyond the bounds are not read to their end', async (t) => {
  const sentence = 'The arguments are too large or nested too deeply.'
  let deep: unknown = 1
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  t.equal(argumentProblem({}, { deep }), sentence)
  t.equal(argumentProblem({}, { text: 'x'.repeat(limits.argumentsChars) }), sentence)
  t.equal(argumentProblem({}, { list: new Array(100_000).fill(1) }), sentence)
  t.equal(argumentProblem({}, { text: 'x'.repeat(limits.argumentsChars - 100) }), undefined)
})

t.test('A sentence about arguments is short, whatever the schema and the names in it', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 600 }),
      fc.array(fc.string({ maxLength: 200 }), { minLength: 1 }),
      (name, all) => {
        const schema = { additionalProperties: { enum: all } }
        const problem = argumentProblem(schema, { [`n${name}`]: 7 }) ?? ''
        return problem.length > 0 && problem.length <= limits.fieldChars + limits.faultChars + 2
      },
    ),
  )
  t.pass()
})

t.test(
  'The schemas of built-in and catalog tools are all read: a call without arguments names what is missing',
  async (t) => {
    for (const { name, parameters } of builtInTools) {
      const [first] = parameters.required as string[]
      t.equal(argumentProblem(parameters, {}), first === undefined ? undefined : `${first} is required.`, name)
    }
    for (const { id, parameters } of listCatalog('tools')) {
      const { required: [first] = [] } = parameters as { readonly required?: readonly string[] }
      t.equal(argumentProblem(parameters, {}), first === undefined ? undefined : `${first} is required.`, id)
    }
  },
)

t.test(
  'decision 18: only x-idempotent: true permits a repeat, only x-confirm: true asks for a confirmation',
  async (t) => {
    t.same(extensionsOf({ 'x-idempotent': true, 'x-confirm': true }), { isIdempotent: true, needsConfirmation: true })
    for (const schema of [
      {},
      undefined,
      'x-idempotent',
      { 'x-idempotent': 'true' },
      { properties: { 'x-idempotent': true } },
    ]) {
      t.same(extensionsOf(schema), { isIdempotent: false, needsConfirmation: false })
    }
  },
)

t.test(
  'decision 18: a model reads the schema without keys that begin with x-, and with fields of such names',
  async (t) => {
    const given = {
      type: 'object',
      'x-idempotent': true,
      properties: {
        'x-request': { type: 'string', 'x-label': 'Request', enum: ['x-a'], default: { 'x-kept': 1 } },
        list: { type: 'array', items: { 'x-label': 'Item', type: 'string' } },
      },
      required: ['x-request'],
      anyOf: [{ 'x-gone': 1, type: 'object' }],
    }
    t.same(withoutExtensions(given), {
      type: 'object',
      properties: {
        'x-request': { type: 'string', enum: ['x-a'], default: { 'x-kept': 1 } },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['x-request'],
      anyOf: [{ type: 'object' }],
    })
  },
)
