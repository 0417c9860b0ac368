/** Steps that collect: what is asked, in which form, and what is not asked. */
import t from 'tap'
import type { Person } from '../../../core/people/person.js'
import { createTalk, documentWith, done, now, person, type Slot, type Step } from './talk.js'

const end: Step = { end: { outcome: 'done' } }
const collecting = (...slots: Slot[]) => ({ slots, steps: [{ collect: slots.map(({ name }) => name) }, end] })

t.test('A collect asks for several slots one by one, and reads each message for all of them', async (t) => {
  const talk = createTalk(
    collecting({ name: 'name', type: 'string' }, { name: 'mail', type: 'email' }, { name: 'party', type: 'number' }),
  )
  t.same(talk.enter().said, ['Name?'])
  t.same(talk.write('Ada').said, ['Mail?'])
  const last = talk.write('ada@example.com, for 4 people')
  t.same([last.next, last.outcomes], ['done', ['done']])
  const other = createTalk(collecting({ name: 'mail', type: 'email' }, { name: 'phone', type: 'phone' }))
  other.enter()
  const phone = other.write('my number: +1 415 555 0132')
  t.same(phone.said, ['Mail?'], 'a message that answers another slot of the step is no invalid answer')
  t.same([phone.slots, phone.frames[0]?.invalidAnswers], [{ phone: '+14155550132' }, undefined])
})

t.test('The prompt asks with its slots filled in, and its name is the default', async (t) => {
  const talk = createTalk(
    collecting(
      { name: 'firstName', type: 'string' },
      { name: 'mail', type: 'email', prompt: 'And your email, {firstName}?' },
      { name: 'plan', type: 'enum', options: ['Gold', 'Silver'], prompt: 'Which plan, {firstName}?' },
    ),
  )
  t.same(talk.enter().said, ['First name?'])
  t.same(talk.write('*Ada*').said, ['And your email, \\*Ada\\*?'])
  t.same(talk.write('a@b.co').said, ['Which plan, *Ada*? [Gold] [Silver]'], 'a prompt of a part is no Markdown')
})

t.test(
  'A bound slot that is on file is taken silently: it is not asked, not validated and not read back',
  async (t) => {
    const onFile = {
      ...person,
      email: 'ada@example.com',
      customFields: { plan: 'gold', age: '42', visit: '2030-05-14T15:00:00+02:00' },
    }
    const slots: Slot[] = [
      { name: 'mail', type: 'email', bind: 'person.email', confirm: true, validate: 'maxLength:3' },
      { name: 'plan', type: 'enum', options: ['a', 'b'], bind: 'person.customFields.plan' },
      { name: 'age', type: 'number', bind: 'person.customFields.age' },
      { name: 'visit', type: 'timeslot', bind: 'person.customFields.visit' },
      { name: 'phone', type: 'phone', bind: 'person.phone' },
      { name: 'other', type: 'string', bind: 'person.customFields.other' },
    ]
    const talk = createTalk({ ...collecting(...slots), person: onFile })
    const asked = talk.enter()
    t.same(asked.said, ['Phone?'], 'only what is not on file is asked')
    t.match(asked.slots, {
      mail: 'ada@example.com',
      plan: 'gold',
      age: 42,
      visit: { startUtc: Date.UTC(2030, 4, 14, 13) },
    })
    t.same(createTalk(collecting(...slots)).enter().said[0], 'Mail?', 'nothing is on file of a stranger')
  },
)

t.test('Values in the message that enters the flow are taken for typed slots, never for plain text', async (t) => {
  const steps: Step[] = [{ collect: 'name' }, { collect: ['mail', 'day', 'party', 'plan', 'vip'] }, end]
  const slots: Slot[] = [
    { name: 'name', type: 'string' },
    { name: 'mail', type: 'email' },
    { name: 'day', type: 'date' },
    { name: 'party', type: 'number' },
    { name: 'plan', type: 'enum', options: ['Gold plan', 'Silver plan'] },
    { name: 'vip', type: 'boolean' },
    { name: 'unused', type: 'phone' },
  ]
  const asked = createTalk({ slots, steps }).enter(
    'A table for 4 tomorrow, silver plan, ada@example.com, +1 415 555 0132',
  )
  t.same(asked.said, ['Name?'])
  t.same(asked.slots, { mail: 'ada@example.com', day: '2030-05-14', party: 4, plan: 'Silver plan' })
  const twice: Slot[] = [
    { name: 'from', type: 'date' },
    { name: 'to', type: 'date' },
  ]
  t.same(createTalk(collecting(...twice)).enter('tomorrow').slots, {}, 'a value that two slots could have is not taken')
  const invalid = createTalk(collecting({ name: 'party', type: 'number', validate: 'max:8' })).enter('for 20')
  t.same(invalid.said, ['Party?'], 'a value that the slot does not accept is asked for')
  const yes = createTalk(collecting({ name: 'a', type: 'enum', options: ['Only'] })).enter('yes')
  t.same(yes.slots, {}, 'an answer to nothing is no mention')
})

t.test('A message that enters has precedence over what is on file', async (t) => {
  const slots: Slot[] = [
    { name: 'mail', type: 'email', bind: 'person.email' },
    { name: 'x', type: 'string' },
  ]
  const talk = createTalk({ ...collecting(...slots), person: { ...person, email: 'old@example.com' } })
  t.same(talk.enter('use new@example.com').slots, { mail: 'new@example.com' })
})

t.test('Options and enums ask with ask.choice, one option too; booleans ask with confirm', async (t) => {
  const talk = createTalk(
    collecting(
      { name: 'plan', type: 'enum', options: ['Gold'] },
      { name: 'party', type: 'number', options: ['2', '4'] },
      { name: 'topic', type: 'string', options: ['Price', 'Other'] },
      { name: 'vip', type: 'boolean', options: ['Of course', 'No way'] },
      { name: 'ok', type: 'boolean' },
    ),
  )
  const plan = talk.enter()
  t.match(plan.parts, [{ type: 'ask.choice', prompt: 'Plan?', options: [{ id: 'Gold', label: 'Gold' }] }])
  const party = talk.tap(plan.parts[0], 'Gold')
  t.match(party.parts, [{ type: 'ask.choice', options: [{ id: '2' }, { id: '4' }] }])
  const topic = talk.tap(party.parts[0], '4')
  t.equal(topic.slots.party, 4, 'the option of a number is a number')
  const vip = talk.write('something of my own')
  t.equal(vip.slots.topic, 'something of my own', 'options of a text only suggest')
  t.match(vip.parts, [{ type: 'confirm', yesLabel: 'Of course', noLabel: 'No way' }])
  t.equal(talk.write('no').slots.vip, false)
  t.equal(talk.write('sure').next, 'done')
})

t.test('A timeslot asks with ask.time for the times that its source offers', async (t) => {
  const slots = [
    {
      id: 'a',
      start: '2030-05-14T15:00:00+02:00',
      durationMinutes: 45,
      representativeId: 'ann',
      representativeName: 'Ann',
    },
    { id: 'b', start: '2030-05-14T15:00:00+02:00', representativeName: 'Bob' },
    { id: 'c', start: '2030-05-15T10:00:00+02:00' },
  ]
  const talk = createTalk({
    ...collecting({ name: 'time', type: 'timeslot', source: 'scheduling.availability' }),
    tools: () => done({ zone: 'Europe/Paris', slots }),
  })
  const asked = talk.enter()
  t.same(asked.calls, [{ name: 'scheduling.availability', arguments: {} }])
  t.match(asked.parts, [
    {
      type: 'ask.time',
      slots: [
        {
          id: 'a',
          start: { iso: '2030-05-14T15:00:00+02:00', tz: 'Europe/Paris' },
          label: 'Tue, May 14, 3:00 PM with Ann',
        },
        { id: 'b', label: 'Tue, May 14, 3:00 PM with Bob' },
        { id: 'c', label: undefined },
      ],
    },
  ])
  t.equal(talk.write('3 pm').next, 'wait', 'two are at three')
  t.match(talk.stack()[0]?.waiting, { kind: 'slot', offered: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
  const chosen = createTalk({
    ...collecting({ name: 'time', type: 'timeslot' }, { name: 'x', type: 'string' }),
    tools: () => done({ slots }),
  })
  chosen.enter()
  t.match(chosen.write('wednesday at 10').slots.time, {
    start: '2030-05-15T10:00:00+02:00',
    zone: 'Europe/Paris',
    label: 'Wed, May 15, 10:00 AM',
  })
})

t.test('A timeslot is searched with the arguments of the step that has searched before it', async (t) => {
  const talk = createTalk({
    slots: [
      { name: 'day', type: 'date' },
      { name: 'time', type: 'timeslot' },
    ],
    steps: [
      { collect: 'day' },
      { action: 'scheduling.availability', with: { from: '{day}', to: '{day}' } },
      { collect: 'time' },
      end,
    ],
    tools: () => done({ slots: [{ start: '2030-05-14T15:00:00+02:00' }] }),
  })
  talk.enter()
  const call = { name: 'scheduling.availability', arguments: { from: '2030-05-14', to: '2030-05-14' } }
  t.same(talk.write('tomorrow').calls, [call], 'and the search is made once')
})

t.test('Without a free time an optional slot is skipped, and a required one is for a human', async (t) => {
  for (const outcome of [done({ slots: [] }), { state: 'failed', reason: 'The calendar is away.' } as const]) {
    const required = createTalk({ ...collecting({ name: 'time', type: 'timeslot' }), tools: () => outcome }).enter()
    t.same([required.next, required.outcomes], ['human', ['abandoned']])
    t.ok(required.warnings.includes('flow.slot.exhausted'))
    t.equal(required.said.length, 1, 'and the reason is said')
    const optional = createTalk({
      ...collecting({ name: 'time', type: 'timeslot', required: false }),
      tools: () => outcome,
    }).enter()
    t.same([optional.next, optional.outcomes], ['done', ['done']])
  }
})

t.test('Any other source of an enum is a call, whose result lists the options', async (t) => {
  const lists: [unknown, string[]][] = [
    [
      ['North', 'South'],
      ['North', 'South'],
    ],
    [
      {
        items: [
          { id: 'n', name: 'North' },
          { id: 's', label: 'South' },
        ],
      },
      ['n', 's'],
    ],
    [{ stores: ['North', 'North', ' ', 7, null] }, ['North', '7']],
  ]
  for (const [result, ids] of lists) {
    const talk = createTalk({
      ...collecting({ name: 'store', type: 'enum', source: 'integration:stores' }, { name: 'x', type: 'string' }),
      tools: () => done(result),
    })
    const asked = talk.enter()
    t.same(asked.calls, [{ name: 'integration:stores', arguments: {} }])
    t.match(asked.parts, [{ type: 'ask.choice', options: ids.map((id) => ({ id })) }])
    t.equal(String(talk.write('the first one').slots.store), ids[0])
  }
  const silent = createTalk({
    ...collecting({ name: 'store', type: 'enum', source: 'integration:stores', options: ['Main'] }),
    tools: () => ({ state: 'failed', reason: 'The store list is away.' }),
  }).enter()
  t.equal(silent.calls.length, 2, 'a source that fails is called once more')
  t.same(silent.said, ['Store? [Main]'], 'and the flow’s own options remain')
})

t.test('A source is called with the slots that its parameters name', async (t) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' }, day: {}, missing: {} } }
  const { document } = integrationDocument(parameters)
  const talk = createTalk({ document, tools: () => done(['North']) })
  talk.enter()
  t.same(talk.write('Paris').calls, [{ name: 'integration:stores', arguments: { city: 'Paris' } }])
})

function integrationDocument(parameters: Record<string, unknown>) {
  const slots: Slot[] = [
    { name: 'city', type: 'string' },
    { name: 'store', type: 'enum', source: 'integration:stores' },
  ]
  const integration = {
    id: 'stores',
    description: 'Lists stores.',
    parameters,
    endpoint: { url: 'https://example.com' },
  }
  return { document: documentWith({ main: collecting(...slots) }, { integrations: [integration] as never }) }
}

t.test('A slot with confirm is read back once: yes keeps the value, no clears it and asks again', async (t) => {
  const talk = createTalk(collecting({ name: 'day', type: 'date', confirm: true }, { name: 'x', type: 'string' }))
  talk.enter()
  const readBack = talk.write('friday')
  t.match(readBack.parts, [
    { type: 'confirm', prompt: 'Is this right?', details: [{ label: 'Day', value: 'Friday, May 17, 2030' }] },
  ])
  const again = talk.tap(readBack.parts[0], 'no')
  t.same([again.said, again.slots], [['Day?'], {}])
  const second = talk.write('saturday')
  t.same(talk.tap(second.parts[0], 'yes').said, ['X?'])
  t.equal(talk.stack()[0]?.slots.day, '2030-05-18')
})

t.test('While a value is read back, a text may be yes, no, or the right value', async (t) => {
  const start = (slot: Slot, text: string) => {
    const talk = createTalk(collecting(slot, { name: 'x', type: 'string' }))
    talk.enter()
    talk.write(text)
    return talk
  }
  const mail: Slot = { name: 'mail', type: 'email', confirm: true }
  t.same(start(mail, 'a@b.co').write('yep').said, ['X?'])
  t.same(start(mail, 'a@b.co').write('nope').said, ['Mail?'])
  t.match(start(mail, 'a@b.co').write('no, it’s c@d.co').said, [/Is this right.*c@d\.co/])
  t.match(start(mail, 'a@b.co').write('c@d.co').slots, { mail: 'c@d.co' })
  t.same(start(mail, 'a@b.co').write('ok, a@b.co').said, ['X?'], 'or the same again')
  const only: Slot = { name: 'only', type: 'enum', options: ['Gold'], confirm: true }
  t.same(start(only, 'gold').write('yes').said, ['X?'])
  const name: Slot = { name: 'name', type: 'string', confirm: true }
  t.match(start(name, 'Ada').write('No, Grace').said, [/Is this right.*Grace/])
  t.match(start(name, 'Ada').write('What do you do with it').said, ['Please answer yes or no.', /Is this right.*Ada/])
})

t.test('A slot whose value was cleared is asked for, although a value is on file', async (t) => {
  const talk = createTalk({
    ...collecting({ name: 'mail', type: 'email', bind: 'person.email', confirm: true }, { name: 'x', type: 'string' }),
    person: { ...person, email: 'old@example.com' },
  })
  const readBack = talk.enter('new@example.com')
  t.same(talk.tap(readBack.parts[0], 'no').said, ['Mail?'])
})

t.test('Every question has an intent of its own, which names flow, slot and asking', async (t) => {
  const talk = createTalk(collecting({ name: 'plan', type: 'enum', options: ['Gold', 'Silver'] }))
  const ids = [talk.enter(), talk.write('?'), talk.digress('why')].flatMap(({ parts }) =>
    parts.map((part) => ('intentId' in part ? part.intentId : '')),
  )
  t.same(ids, ['flow:main:plan:1', 'flow:main:plan:2', 'flow:main:plan:3'])
})

t.test('Slots may be called like members of any object', async (t) => {
  const slots: Slot[] = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) => ({
    name,
    type: 'string',
  }))
  const talk = createTalk(collecting(...slots))
  let turn = talk.enter()
  for (const { name } of slots) {
    t.equal(turn.next, 'wait', name)
    turn = talk.write('x')
  }
  t.equal(turn.next, 'done')
})

t.test('The person’s number is read only for a text that depends on the region', async (t) => {
  let lookups = 0
  const watched: Person = {
    ...person,
    get phone() {
      lookups++
      return '+33612345678'
    },
  }
  const answer = (type: Slot['type'], text: string) => {
    const slots = [
      { name: 'asked', type },
      { name: 'next', type: 'string' as const },
    ]
    const talk = createTalk({ person: watched, slots, steps: [{ collect: 'asked' }, { collect: 'next' }] })
    talk.enter()
    return talk.write(text).slots.asked
  }
  t.equal(answer('number', 'It is about order 17, please.'), 17)
  t.equal(answer('email', 'ada@example.com'), 'ada@example.com')
  t.equal(lookups, 0)
  t.equal(answer('phone', '06 98 76 54 32'), '+33698765432')
  t.ok(lookups > 0)
})

t.test('A moment is read at the time of the turn', async (t) => {
  const talk = createTalk({
    ...collecting({ name: 'day', type: 'date' }, { name: 'x', type: 'string' }),
    now: now + 86_400_000,
  })
  talk.enter()
  t.equal(talk.write('tomorrow').slots.day, '2030-05-15')
})
