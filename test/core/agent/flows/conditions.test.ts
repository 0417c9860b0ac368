/** Conditions of branches: what can be read, what it means, and that no text takes long or throws. */
import fc from 'fast-check'
import t from 'tap'
import {
  type Comparison,
  type Condition,
  type ConditionValue,
  evaluateCondition,
  namesInCondition,
  parseCondition,
} from '../../../../core/agent/flows/conditions.js'
import { flow as limits } from '../../../../core/limits/index.js'
import { anyText } from '../../../harness/arbitraries.js'

const values: Readonly<Record<string, unknown>> = {
  plan: 'Gold',
  party: 4,
  vip: true,
  none: false,
  day: '2030-05-14',
  blank: ' ',
  'slots.plan': 'Gold',
  'person.customFields.age': '42',
  'last.integration.crm.tags': ['new', 'Vip'],
  'last.scheduling.book': { appointmentId: 'a1' },
  time: { start: '2030-05-14T15:00:00+02:00', label: 'Tue 3 PM' },
}
const read = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)

function holds(source: string): boolean | string {
  const parsed = parseCondition(source)
  return 'problem' in parsed ? parsed.problem : evaluateCondition(parsed.condition, read)
}

t.test(
  'A condition tests names with the operators of the grammar, joined by and, or, not and parentheses',
  async (t) => {
    const cases: [string, boolean][] = [
      ["plan == 'gold'", true],
      ['plan == gold', true],
      ['plan != silver', true],
      ['plan == "Gold plan"', false],
      ['party > 3', true],
      ['party >= 4 and party <= 4', true],
      ['party < 10', true],
      ["party == '4'", true],
      ['person.customFields.age >= 18', true],
      ['person.customFields.age < 5', false],
      ['day >= 2030-05-01 and day < 2030-06-01', true],
      ['time > 2030-05-14', true],
      ['plan contains OL', true],
      ['last.integration.crm.tags contains vip', true],
      ['last.integration:crm.tags contains old', false],
      ['plan in [silver, "gold"]', true],
      ['party in [2, 3]', false],
      ['plan exists and blank empty and missing empty', true],
      ['blank exists', false],
      ['last.scheduling.book exists', true],
      ['vip', true],
      ['none', false],
      ['missing', false],
      ['vip == true and none == false', true],
      ['vip == yes and none == no', true],
      ['not none', true],
      ['not (plan == gold or vip)', false],
      ['none or vip and plan == silver', false],
      ['(none or vip) and plan == gold', true],
      ['NOT none AND slots.plan == GOLD', true],
      ['missing == x', false],
      ['missing != x', true],
      ['missing < 5', false],
      ['missing in [a]', false],
      ['missing contains a', false],
      ["plan == 'it\\'s'", false],
    ]
    for (const [source, expected] of cases) t.equal(holds(source), expected, source)
  },
)

t.test('A condition that cannot be read says where and why', async (t) => {
  const cases: [string, RegExp][] = [
    ['', /^ends where a name is expected/],
    ['they sound angry', /^has "sound" at character 6 where "and", "or" or its end is expected/],
    ['plan ==', /^ends where a value is expected/],
    ['plan = gold', /^cannot be read from character 6 on/],
    ["plan == 'gold", /^cannot be read from character 9 on/],
    ['(plan', /^ends where "\)" is expected/],
    ['plan)', /^has "\)"/],
    ['plan in gold', /where "\[" is expected/],
    ['plan in [gold', /where "," or "\]" is expected/],
    ['plan in []', /where a value is expected/],
    ["'gold' == plan", /where a name is expected/],
    ['5 > party', /where a name is expected/],
    ['plan and', /^ends where a name is expected/],
    ['plan ! vip', /^cannot be read/],
  ]
  for (const [source, expected] of cases) t.match(holds(source), expected, source)
})

t.test('Conditions are bounded in length and in depth', async (t) => {
  const chain = (tests: number) => Array.from({ length: tests }, () => 'vip').join(' and ')
  t.equal(holds(chain(limits.conditionTokens / 2)), true)
  t.match(holds(chain(limits.conditionTokens / 2 + 1)), /^is longer than/)
  const nested = (depth: number) => `${'('.repeat(depth)}vip${')'.repeat(depth)}`
  t.equal(holds(nested(limits.conditionDepth)), true)
  t.match(holds(nested(limits.conditionDepth + 1)), /^is nested deeper/)
  t.match(holds(`${'not '.repeat(limits.conditionDepth + 1)}vip`), /^is nested deeper/)
})

t.test('For any text, reading a condition neither throws nor takes long', async (t) => {
  fc.assert(fc.property(anyText({ maxLength: 200 }), (source) => void holds(source)))
  const hostile = ['(', 'not ', "'", '"\\', 'a ', 'a and ', '[', 'a in [', '= ', '\u{1F600}', 'a == ', '-', 'a.', ' ']
  for (const part of hostile) t.equal(typeof holds(part.repeat(65_536 / part.length)), 'string', part)
})

const name = fc.constantFrom(...Object.keys(values).filter((each) => /^[\w.]+$/.test(each)), 'missing')
const value: fc.Arbitrary<ConditionValue> = fc.oneof(
  fc.constantFrom('Gold', 'gold', 'Vip', "it's", '2030-05-14', 'a "b"', ''),
  fc.integer({ min: -9, max: 9 }),
  fc.boolean(),
)
const comparison = fc.constantFrom<Comparison>('==', '!=', '<', '<=', '>', '>=', 'contains')
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constantFrom('true' as const, 'exists' as const, 'empty' as const), name }),
    fc.record({ kind: fc.constant('compare' as const), name, op: comparison, value }),
    fc.record({ kind: fc.constant('in' as const), name, values: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), part: tie('condition') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}))

function print(each: Condition): string {
  switch (each.kind) {
    case 'and':
    case 'or':
      return each.parts.map((part) => `(${print(part)})`).join(` ${each.kind} `)
    case 'not':
      return `not (${print(each.part)})`
    case 'true':
      return each.name
    case 'exists':
    case 'empty':
      return `${each.name} ${each.kind}`
    case 'compare':
      return `${each.name} ${each.op} ${printValue(each.value)}`
    case 'in':
      return `${each.name} in [${each.values.map(printValue).join(', ')}]`
  }
}

const printValue = (each: ConditionValue) =>
  typeof each === 'string' ? `'${each.replace(/[\\']/g, '\\$&')}'` : String(each)

/** The same decision in the simplest terms. */
function naive(each: Condition): boolean {
  if ('parts' in each)
    return each.parts.map(naive).reduce((one, two) => (each.kind === 'and' ? one && two : one || two))
  if ('part' in each) return !naive(each.part)
  const found = read(each.name)
  const isMissing = found === undefined || String(found).trim() === ''
  if (each.kind !== 'in' && each.kind !== 'compare') {
    if (each.kind === 'true') return !isMissing && found !== false && found !== 0
    return each.kind === 'empty' ? isMissing : !isMissing
  }
  if (each.kind === 'in')
    return each.values.some((other) => naive({ kind: 'compare', name: each.name, op: '==', value: other }))
  if (each.op === '!=') return !naive({ ...each, op: '==' })
  if (each.op === 'contains') {
    if (Array.isArray(found)) return found.some((one) => String(one).toLowerCase() === String(each.value).toLowerCase())
    return isText(found) && textOf(found).toLowerCase().includes(String(each.value).toLowerCase())
  }
  if (typeof found === 'boolean' && each.op === '==') {
    return { true: true, yes: true, false: false, no: false }[String(each.value).toLowerCase()] === found
  }
  if (!isText(found)) return false
  const isNumeric =
    typeof each.value === 'number' && textOf(found).trim() !== '' && Number.isFinite(Number(textOf(found)))
  const [one, two] = isNumeric
    ? [Number(textOf(found)), each.value]
    : [textOf(found).toLowerCase(), String(each.value).toLowerCase()]
  return { '==': one === two, '<': one < two, '<=': one <= two, '>': one > two, '>=': one >= two }[each.op]
}

const isText = (found: unknown) => found !== undefined && !Array.isArray(found) && textOf(found) !== '[object Object]'
const textOf = (found: unknown): string =>
  typeof found === 'object' && found !== null && 'start' in found ? String(found.start) : String(found)

t.test('Any condition is read back from its text and decides as the simplest reading of it does', async (t) => {
  fc.assert(
    fc.property(condition, (each) => {
      const parsed = parseCondition(print(each))
      if ('problem' in parsed) return t.match(parsed.problem, /longer|deeper/)
      t.equal(evaluateCondition(parsed.condition, read), naive(each), print(each))
      return t.same(new Set(namesInCondition(parsed.condition)), new Set(namesIn(each)))
    }),
    { numRuns: 300 },
  )
})

function namesIn(each: Condition): string[] {
  if ('parts' in each) return each.parts.flatMap(namesIn)
  return 'part' in each ? namesIn(each.part) : [each.name]
}
