/** The routes of personality, goals, standing instructions, guardrails and rules, field by field. */
import t from 'tap'
import { agentLimits as limits } from '../../../core/limits/index.js'
import { fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const long = (chars: number) => 'x'.repeat(chars)

t.test('A personality is put, imported from the catalog and compared with its origin', async (t) => {
  const { call } = await fixture.agent()
  t.equal((await call('GET', '/personality')).status, 404)
  t.strictSame((await call('GET', '/personality/diff')).json, { current: null, baseline: null, divergence: null })
  const own = { description: 'Warm', text: 'Be warm.' }
  t.strictSame((await call('PUT', '/personality', own)).json, own)
  t.strictSame((await call('GET', '/personality/diff')).json, {
    current: own,
    baseline: null,
    divergence: { description: true, text: true },
  })
  const templateId = '@svc/personality.warm-receptionist'
  const copied = await call('POST', '/personality/import', { templateId })
  t.equal(copied.status, 200)
  t.equal(copied.json.derivedFrom.templateId, templateId)
  t.match((await call('GET', '/personality/diff')).json.divergence, { description: false, text: false })
  const edited = (await call('PUT', '/personality', { ...copied.json, text: 'Be warmer.' })).json
  t.strictSame(edited.derivedFrom, copied.json.derivedFrom, 'PUT keeps where it came from')
  t.match((await call('GET', '/personality/diff')).json.divergence, { description: false, text: true })
  t.equal((await call('POST', '/personality/import', { templateId: '@svc/personality.unknown' })).status, 404)
  t.same(fieldsOf(await call('POST', '/personality/import', {})), ['templateId'])
})

t.test('A personality needs a text, and both its fields have limits', async (t) => {
  const { call } = await fixture.agent()
  const { textChars, descriptionChars } = limits.personality
  t.equal(
    (await call('PUT', '/personality', { text: long(textChars), description: long(descriptionChars) })).status,
    200,
  )
  for (const [body, field] of [
    [{}, 'text'],
    [{ text: ' ' }, 'text'],
    [{ text: long(textChars + 1) }, 'text'],
    [{ text: 'x', description: long(descriptionChars + 1) }, 'description'],
    [{ text: 'x', mood: 'y' }, 'mood'],
  ] as const) {
    const refused = await call('PUT', '/personality', body)
    t.equal(refused.status, 422)
    t.equal(refused.json.code, 'request.invalid')
    t.same(fieldsOf(refused), [field])
  }
})

const goal = (id: string, more: object = {}) => ({
  id,
  name: `Goal ${id}`,
  definition: { kind: 'event', event: 'person.replied' },
  ...more,
})

t.test('Goals are put as a whole; an omitted default stays, and null removes it', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/goals')).json, { data: [] })
  const goals = [goal('replied'), goal('happy', { definition: { kind: 'judged', criterion: 'They left happy.' } })]
  const defaultGoal = { goalId: 'happy', unless: { field: 'person.lastCallAt', op: 'exists' } }
  t.strictSame((await call('PUT', '/goals', { goals, defaultGoal })).json, { data: goals, defaultGoal })
  t.strictSame((await call('PUT', '/goals', { goals })).json, { data: goals, defaultGoal })
  const { data, ...rest } = (await call('GET', '/goals')).json
  t.strictSame((await call('PUT', '/goals', { goals: data, ...rest })).json, { data, ...rest }, 'a PUT of a GET')
  t.strictSame((await call('PUT', '/goals', { goals, defaultGoal: null })).json, { data: goals })
})

t.test('A referenced goal cannot be removed, and a missing one cannot be referenced', async (t) => {
  const { call } = await fixture.agent()
  const unknown = await call('PUT', '/goals', { goals: [], defaultGoal: { goalId: 'none' } })
  t.equal(unknown.status, 422)
  t.equal(unknown.json.code, 'goal.unknown')
  t.same(fieldsOf(unknown), ['defaultGoal.goalId'])
  await call('PUT', '/goals', { goals: [goal('a')], defaultGoal: { goalId: 'a' } })
  const dropped = await call('PUT', '/goals', { goals: [] })
  t.equal(dropped.status, 409)
  t.equal(dropped.json.code, 'agent.integrity_conflict')
  t.same(fieldsOf(dropped), ['defaultGoal.goalId'])
  const playbook = await call('POST', '/playbooks', { name: 'P', goal: { goalId: 'b' } })
  t.equal(playbook.json.code, 'goal.unknown')
  t.same(fieldsOf(playbook), ['playbooks[0].goal.goalId'])
})

t.test('Every rule of a goal names its field, at the limit and one past it', async (t) => {
  const { call } = await fixture.agent()
  const { max, nameChars, descriptionChars, criterionChars } = limits.goals
  const many = (count: number) => Array.from({ length: count }, (_, nth) => goal(`g${nth}`))
  t.equal((await call('PUT', '/goals', { goals: many(max) })).status, 200)
  const judgedGoal = (criterion: string) => ({ definition: { kind: 'judged', criterion } })
  const full = goal('a', {
    name: long(nameChars),
    description: long(descriptionChars),
    ...judgedGoal(long(criterionChars)),
  })
  t.equal((await call('PUT', '/goals', { goals: [full] })).status, 200)
  for (const [goals, field] of [
    [many(max + 1), `goals[${max}]`],
    [[goal('Not A Slug')], 'goals[0].id'],
    [[goal('a'), goal('a')], 'goals[1].id'],
    [[goal('a', { name: long(nameChars + 1) })], 'goals[0].name'],
    [[goal('a', { description: long(descriptionChars + 1) })], 'goals[0].description'],
    [[goal('a', judgedGoal(long(criterionChars + 1)))], 'goals[0].definition.criterion'],
    [[goal('a', { definition: { kind: 'event', event: 'x' } })], 'goals[0].definition.event'],
    [[goal('a', { definition: { kind: 'other' } })], 'goals[0].definition.kind'],
  ] as const) {
    const refused = await call('PUT', '/goals', { goals })
    t.equal(refused.status, 422, field)
    t.same(fieldsOf(refused), [field])
  }
})

t.test('Standing instructions are at most 20 of 300 characters, and the first one too many is named', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/standing-instructions')).json, { data: [] })
  const put = (standingInstructions: unknown) => call('PUT', '/standing-instructions', { standingInstructions })
  const most = Array.from({ length: 20 }, () => long(300))
  t.strictSame((await put(most)).json, { data: most })
  t.same(fieldsOf(await put([...most, 'x'])), ['standingInstructions[20]'])
  t.same(fieldsOf(await put(['a', long(301)])), ['standingInstructions[1]'])
  t.same(fieldsOf(await put('x')), ['standingInstructions'])
  t.same(fieldsOf(await call('PUT', '/standing-instructions', {})), ['standingInstructions'])
  t.strictSame((await put([])).json, { data: [] })
})

t.test('Guardrails are replaced, changed list by list, and merged with a template', async (t) => {
  const { call } = await fixture.agent()
  t.strictSame((await call('GET', '/guardrails')).json, {})
  const put = { topicsToAvoid: ['politics'], claimsNotToMake: ['cheapest'] }
  t.strictSame((await call('PUT', '/guardrails', put)).json, put)
  const change = {
    topicsToAvoid: { add: ['religion', 'politics'], remove: ['nothing'] },
    claimsNotToMake: { remove: ['cheapest'] },
  }
  const patched = (await call('PATCH', '/guardrails', change)).json
  t.strictSame(patched, { topicsToAvoid: ['politics', 'religion'], claimsNotToMake: [] })
  const templateId = '@svc/guardrail.general'
  const merged = (await call('POST', '/guardrails/import', { templateId })).json
  t.same(merged.topicsToAvoid.slice(0, 2), ['politics', 'religion'], 'existing entries keep their order')
  t.same(merged.derivedFromTemplates, [templateId])
  t.strictSame((await call('POST', '/guardrails/import', { templateId })).json, merged, 'no entry is duplicated')
  t.strictSame((await call('PUT', '/guardrails', merged)).json, merged, 'a PUT of a GET')
  for (const method of ['PUT', 'PATCH']) {
    const retired = await call(method, '/guardrails', { additionalRules: 'Be good.' })
    t.equal(retired.status, 422)
    t.same(fieldsOf(retired), ['additionalRules'])
    t.match(retired.json.errors[0].message, /retired/)
  }
  t.same(fieldsOf(await call('PATCH', '/guardrails', { topicsToAvoid: ['x'] })), ['topicsToAvoid'])
})

t.test('Rules are put as a whole, and an invalid pattern is named by its path', async (t) => {
  const { call } = await fixture.agent()
  const rule = (id: string, patterns: string[]) => ({ id, text: 'Never.', check: { kind: 'pattern', patterns } })
  const put = await call('PUT', '/rules', { rules: [rule('a', ['costs', '/\\$\\d+/i'])] })
  t.strictSame(put.json, { data: [{ ...rule('a', ['costs', '/\\$\\d+/i']), action: 'block', enabled: true }] })
  t.strictSame((await call('PUT', '/rules', { rules: put.json.data })).json, put.json, 'a PUT of a GET')
  const most = Array.from({ length: limits.rules.patterns }, () => long(limits.rules.patternChars))
  t.equal((await call('PUT', '/rules', { rules: [rule('a', most)] })).status, 200)
  for (const [patterns, field] of [
    [[...most, 'x'], `rules[0].check.patterns[${most.length}]`],
    [['ok', long(limits.rules.patternChars + 1)], 'rules[0].check.patterns[1]'],
    [['/(/'], 'rules[0].check.patterns[0]'],
    [['/(a)\\1/'], 'rules[0].check.patterns[0]'],
  ] as const) {
    t.same(fieldsOf(await call('PUT', '/rules', { rules: [rule('a', [...patterns])] })), [field])
  }
  t.equal((await call('PUT', '/rules', { rules: [rule('a', ['/(a+)+$/'])] })).status, 200, 'harmless in linear time')
})
