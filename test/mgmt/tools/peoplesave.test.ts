/** people.save as a command of the agent's shard (decision 20). */
import t from 'tap'
import type { FieldValues } from '../../../core/people/agentsave.js'
import type { ToolContext } from '../../../core/tools/contract.js'
import { journalTable } from '../../../mgmt/people/store.js'
import { agentRef } from '../people/fixture.js'
import { context, createToolsFixture } from './fixture.js'

const peopleFields = [
  { key: 'plan', label: 'Plan', type: 'string' as const },
  { key: 'vip', label: 'VIP', type: 'boolean' as const, locked: true },
]

function open(t: Parameters<typeof createToolsFixture>[0]) {
  const fixture = createToolsFixture(t, { document: { peopleFields } })
  const { people, tx } = fixture
  const area = people.people
  return {
    ...fixture,
    area,
    save: (fields: FieldValues, about: Partial<ToolContext> = {}, id = 'call-1') =>
      fixture.savePerson({ ...context, ...about }, { name: 'people.save', arguments: { fields } }, id),
    person: (asid = 'as_1') => area.byAsid(tx, agentRef, asid),
    seen: (asid: string, channel: 'sms' | 'webchat', address: string) =>
      people.decide(area.commands.identityEvent, { ...agentRef, asid, channel, address, at: 1, kind: 'seen' }),
  }
}

t.test(
  'decision 20: fields are saved to the person of the conversation, who is created where there is none',
  async (t) => {
    const { save, person, tx } = open(t)
    t.same(await save({ firstName: 'Ann', plan: 'gold' }), {
      state: 'ok',
      result: { saved: ['firstName', 'plan'], captured: false },
    })
    t.match(person(), {
      ...{ firstName: 'Ann', customFields: { plan: 'gold' }, source: 'conversation' },
      identities: [{ asid: 'as_1', channel: 'sms', address: '+12025550123' }],
    })
    t.same(await save({ email: 'ann@example.com' }), { state: 'ok', result: { saved: ['email'], captured: true } })
    t.match(person(), { firstName: 'Ann', email: 'ann@example.com' })
    t.same([...tx.range(journalTable, { prefix: [] as never })], [], 'and the journal is not touched')
  },
)

t.test('decision 20: a refused field is a refused call, and nothing is saved or created', async (t) => {
  const { save, person } = open(t)
  t.same(await save({ firstName: 'Ann', vip: true }), {
    state: 'refused',
    reason: 'vip is locked: only an operator changes it.',
  })
  t.equal(person(), undefined)
})

t.test('decision 20: a repeat of a call changes nothing, and captures nothing again', async (t) => {
  const { save, person } = open(t)
  await save({ email: 'ann@example.com', status: 'contacted' })
  const before = person()
  t.match(await save({ email: 'ann@example.com', status: 'contacted' }), { state: 'ok', result: { captured: false } })
  t.equal(person(), before)
})

t.test('decision 20: a person who is known by the number of the conversation is that person', async (t) => {
  const { save, area, people, person } = open(t)
  people.decide(area.commands.create, { ...agentRef, change: { firstName: 'Ann', phone: '+1 202 555 0123' } })
  await save({ plan: 'gold' })
  t.match(person(), { firstName: 'Ann', customFields: { plan: 'gold' } })
})

t.test('decision 20: a phone that is saved is one at which the person can be reached', async (t) => {
  const { save, person, seen } = open(t)
  seen('web_1', 'webchat', 'visitor-1')
  seen('sms +12025550123', 'sms', '+12025550123')
  const web = { asid: 'web_1', channel: 'webchat', address: 'visitor-1' } as const
  t.match(await save({ phone: '+1 (202) 555-0123' }, web), { state: 'ok', result: { captured: true } })
  const saved = person('web_1')
  t.equal(saved?.phone, '+12025550123')
  t.same(saved?.identities.map(({ asid }) => asid).sort(), ['rcs +12025550123', 'sms +12025550123', 'web_1'])
  t.equal(person('sms +12025550123')?.id, saved?.id, 'and a record of whom nothing else was known is the same person')
})

t.test(
  'A conversation goes on with its person when they give another number than the one they write from',
  async (t) => {
    const { save, person } = open(t)
    await save({ phone: '+12025550123', firstName: 'Ann' })
    t.match(await save({ phone: '+12025550199' }), { state: 'ok', result: { captured: true } })
    t.match(person(), { firstName: 'Ann', phone: '+12025550199', identities: [{ asid: 'as_1' }] })
  },
)

t.test('R54: what the sandbox saves stays with its person: nobody else is found, merged or created', async (t) => {
  const { save, person, area, people, tx } = open(t)
  people.decide(area.commands.create, { ...agentRef, change: { firstName: 'Ann', phone: '+12025550123' } })
  await save({ email: 'test@example.com', phone: '+12025550123' }, { sandbox: true })
  const saved = person()
  t.match(saved, { sandbox: true, email: 'test@example.com', firstName: undefined })
  t.same(
    saved?.identities.map(({ asid }) => asid),
    ['as_1'],
  )
  const live = area.byNumber(tx, agentRef, { channel: 'sms', address: '+12025550123' })
  t.match(live, { firstName: 'Ann', email: undefined })
})

t.test('decision 20: a call for an agent that is gone, or while no shard answers, is a refusal', async (t) => {
  const { save, setUnavailable } = open(t)
  t.match(await save({ firstName: 'Ann' }, { agent: { orgId: 'demo', agentId: 'gone' } }), {
    refused: 'resource.not_found',
  })
  setUnavailable()
  t.match(await save({ firstName: 'Ann' }), { refused: 'service.unavailable' })
})
