/** Schemas of routes are compiled when they are first needed, so here all of them are. */
import t from 'tap'
import Type from 'typebox'
import { describePattern, patternDescriptions } from '../../core/patterndescriptions.js'
import { runToEnd } from '../../core/steps.js'
import { bodyCheck, compileBodyChecks, compileCheck, mustCompile } from '../../runtime/http/validator.js'
import { openTestNode } from '../harness/node.js'

const node = await openTestNode()
t.teardown(() => node.close())

for (const [name, { routes }] of Object.entries(node.node.planes)) {
  t.test(`Every schema of every route of the plane ${name} compiles`, async (t) => {
    for (const { method, path, params, query, body, reply } of routes) {
      const replies = Object.values(reply).filter((each) => each !== null && typeof each !== 'string')
      t.doesNotThrow(() => {
        for (const schema of [params, query, body, ...replies]) if (schema) mustCompile(schema as never)
      }, `${method} ${path}`)
    }
    t.ok(routes.length > 0)
  })

  t.test(`Every pattern in requests of the plane ${name} has a description in words`, async (t) => {
    for (const { method, path, query, body } of routes) {
      for (const pattern of patternsIn([query, body])) {
        t.ok(patternDescriptions.has(pattern), `${method} ${path}: ${pattern}`)
      }
    }
    t.ok(routes.length > 0)
  })
}

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  )
}

t.test('A check compiled in advance compiles nothing when it is used, with the same result', async (t) => {
  const counted = () => {
    let reads = 0
    const schema = Type.Object({ name: Type.String(), size: Type.Integer() })
    const { properties } = schema
    const get = () => {
      reads++
      return properties
    }
    Object.defineProperty(schema, 'properties', { enumerable: true, get })
    return { schema, reads: () => reads }
  }
  const [early, late] = [counted(), counted()]
  runToEnd(compileBodyChecks([early.schema]))
  const before = early.reads()
  t.ok(before > 0)
  for (const bytes of [100, 100_000]) {
    const wrong = bodyCheck(early.schema)({ size: 'x' }, bytes)
    t.same(wrong, bodyCheck(late.schema)({ size: 'x' }, bytes))
    t.ok(wrong)
    t.equal(bodyCheck(early.schema)({ name: 'a', size: 1 }, bytes), undefined)
  }
  t.equal(early.reads(), before)
  t.ok(late.reads() > 0)
})

t.test('Faults of a value are described in words, without terms of JSON Schema', async (t) => {
  const time = describePattern('^[0-2][0-9]:[0-5][0-9]$', 'must be a time of day')
  const check = compileCheck(
    Type.Object({
      at: Type.Optional(Type.String({ pattern: time, maxLength: 5 })),
      name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      size: Type.Optional(Type.Unsafe({ type: ['integer', 'null'], minimum: 1, maximum: 9 })),
      how: Type.Optional(Type.Unsafe({ enum: ['fill', 'overwrite', null] })),
      tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true, minItems: 1, maxItems: 3 })),
    }),
  )
  for (const [value, field, message] of [
    [{ at: 'noon' }, 'at', 'must be a time of day'],
    [{ at: '12:00:00' }, 'at', 'must have at most 5 characters'],
    [{ size: 'x' }, 'size', 'must be a whole number or null'],
    [{ size: 0 }, 'size', 'must be at least 1'],
    [{ size: 10 }, 'size', 'must be at most 9'],
    [{ how: 'x' }, 'how', 'must be one of fill, overwrite'],
    [{ tags: ['a', 'a'] }, 'tags', 'must not hold the same value twice, as at 0 and 1'],
    [{ tags: ['a', 'b', 'c', 'd'] }, 'tags', 'must hold at most 3'],
    [{ tags: [] }, 'tags', 'must hold at least 1'],
    [{ tags: [''] }, 'tags[0]', 'must not be empty'],
  ] as const) {
    t.match(check(value), [{ field, message }], JSON.stringify(value))
  }
  t.match(check({ name: 7 })?.[0]?.message, /^must be (text|null)/)
})
