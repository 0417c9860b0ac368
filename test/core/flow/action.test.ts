/** Steps that act: arguments, the gate, confirmation, outcomes and what follows from each. */
import t from 'tap'
import { flow as limits } from '../../../core/limits/index.js'
import type { ToolCall, ToolOutcome } from '../../../core/tools/contract.js'
import { createTalk, documentWith, done, type Slot, type Step, type TalkOptions } from './talk.js'

const end: Step = { end: { outcome: 'done' } }
const failed: ToolOutcome = { state: 'failed', reason: 'The system is away.' }
const unknown: ToolOutcome = { state: 'unknown', reason: 'It is not known whether it was done.' }
const refused: ToolOutcome = { state: 'refused', reason: 'The time is taken.' }

const act = (step: Step, more: TalkOptions = {}) => createTalk({ steps: [step, end], ...more }).enter()

t.test('Arguments are filled from slots: a text that is one slot alone gets its value, a time its start', async (t) => {
  const slots: Slot[] = [
    { name: 'name', type: 'string' },
    { name: 'party', type: 'number' },
    { name: 'vip', type: 'boolean' },
    { name: 'time', type: 'timeslot' },
    { name: 'notes', type: 'string', required: false },
  ]
  const given = {
    who: '{name}',
    seats: '{ slots.party }',
    vip: '{vip}',
    at: '{time}',
    text: '{name} at {time}, {party} seats, {notes|no notes}',
    nested: [{ notes: '{notes}', mail: '{person.email}', kept: 7 }],
    fallback: '{notes|none}',
    brackets: '[[{name}]]',
  }
  const talk = createTalk({
    slots,
    steps: [{ collect: slots.map(({ name }) => name) }, { action: 'integration:crm', with: given }, end],
    tools: ({ name }) =>
      name === 'integration:crm' ? done() : done({ slots: [{ id: 'a', start: '2030-05-14T15:00:00+02:00' }] }),
  })
  talk.enter()
  for (const text of ['*Ada*', '4', 'yes', '1']) talk.write(text)
  t.same(talk.write('skip').calls, [
    {
      name: 'integration:crm',
      arguments: {
        who: '*Ada*',
        seats: 4,
        vip: true,
        at: '2030-05-14T15:00:00+02:00',
        text: '*Ada* at 2030-05-14T15:00:00+02:00, 4 seats, no notes',
        nested: [{ kept: 7 }],
        fallback: 'none',
        brackets: '[[*Ada*]]',
      },
    },
  ])
})

t.test('Without arguments an action takes those of its tool from the slots', async (t) => {
  const slots: Slot[] = [
    { name: 'mail', type: 'email', bind: 'person.email' },
    { name: 'plan', type: 'enum', options: ['Gold', 'Silver'], bind: 'person.customFields.plan' },
    { name: 'early', type: 'timeslot', required: false },
    { name: 'late', type: 'timeslot' },
  ]
  const start = '2030-05-15T15:00:00+02:00'
  const offers = [{ start: '2030-05-14T15:00:00+02:00' }, { start, durationMinutes: 45, representativeId: 'ann' }]
  const after = (action: string, more: Partial<Step> = {}) => {
    const talk = createTalk({
      slots,
      steps: [{ collect: slots.map(({ name }) => name) }, { action, ...more }, end],
      tools: ({ name }) =>
        name === 'scheduling.availability' ? done({ zone: 'Europe/Paris', slots: offers }) : done(),
    })
    talk.enter()
    for (const text of ['a@b.co', 'gold', '1']) talk.write(text)
    return talk.write('2').calls.at(-1)?.arguments
  }
  t.same(after('scheduling.book'), { start, representativeId: 'ann', durationMinutes: 45 }, 'the newest time')
  t.same(after('scheduling.reschedule'), { start, representativeId: 'ann' })
  t.same(after('scheduling.cancel'), {})
  t.same(after('people.save'), { fields: { email: 'a@b.co', 'customFields.plan': 'Gold' } })
  t.same(after('people.save', { with: { email: '{mail}' } }), { fields: { email: 'a@b.co' } })
  t.same(after('people.save', { with: { fields: { email: '{mail}' } } }), { fields: { email: 'a@b.co' } })
  t.same(after('notify.team'), {
    text: 'Mail: a@b.co\nPlan: Gold\nEarly: Tue, May 14, 3:00 PM\nLate: Wed, May 15, 3:00 PM',
  })
  t.same(after('notify.team', { with: { who: '{mail}' } }), { text: 'Who: a@b.co' })
  t.same(after('notify.team', { with: { text: 'Call {mail}' } }), { text: 'Call a@b.co' })
  t.same(after('knowledge.search', { with: { words: '{plan} plan' } }), { query: 'Gold plan' })
  t.same(after('knowledge.search'), { query: 'Gold' })
})

t.test('An integration and a tool of the catalog are called by their canonical names', async (t) => {
  t.equal(act({ action: 'integration.crm.do' }).calls[0]?.name, 'integration:crm')
  t.equal(act({ action: 'tool:@svc/tool.order-lookup' }).calls[0]?.name, 'tool:@svc/tool.order-lookup')
  const slots: Slot[] = [{ name: 'listingId', type: 'string' }]
  const talk = createTalk({ slots, steps: [{ collect: 'listingId' }, { action: 'tool:@svc/tool.listing-search' }] })
  talk.enter()
  t.same(talk.write('L7').calls[0]?.arguments, { listingId: 'L7' }, 'slots fill the parameters of their names')
})

t.test('Every call and read is gated: a refused one is not made', async (t) => {
  const asked: [string, ToolCall][] = []
  const refusal = (playbookId: string, call: ToolCall) => {
    asked.push([playbookId, call])
    return 'The playbook does not use it.'
  }
  const branch = act({ action: 'notify.team', with: { text: 'x' }, on_error: 'branch' }, { refusal })
  t.same([branch.calls, branch.warnings, branch.next], [[], ['tool.refused'], 'done'])
  t.same(asked, [['main', { name: 'notify.team', arguments: { text: 'x' } }]])
  const read = act({ action: 'knowledge.search', with: { query: 'x' } }, { refusal })
  t.same([read.calls, read.next, read.outcomes], [[], 'human', ['handoff']])
  const source = createTalk({
    slots: [{ name: 'time', type: 'timeslot' }],
    steps: [{ collect: 'time' }],
    refusal,
  }).enter()
  t.same([source.calls, source.next, source.warnings], [[], 'human', ['tool.refused', 'flow.slot.exhausted']])
  const confirmed = act({ action: 'scheduling.cancel', confirm: 'Really?' }, { refusal })
  t.equal(confirmed.parts.length, 0, 'what is refused is not asked about')
})

t.test('An action with confirm is done after a yes to exactly its arguments', async (t) => {
  const talk = createTalk({
    steps: [{ action: 'scheduling.cancel', confirm: 'Cancel it, {person.firstName|you}?' }, end],
  })
  const asked = talk.enter()
  t.match(asked.parts, [{ type: 'confirm', prompt: 'Cancel it, you?' }])
  t.same(asked.calls, [])
  const yes = talk.tap(asked.parts[0], 'yes')
  t.same([yes.calls.length, yes.next], [1, 'done'])
})

t.test('After a no the step is left, and the flow goes on with the reason as its error', async (t) => {
  const steps: Step[] = [
    { action: 'scheduling.cancel', confirm: 'Cancel it?' },
    { branch: [{ if: 'error exists', goto: 'kept' }] },
    { say: 'Cancelled.' },
    { id: 'kept', say: 'Kept: {error}' },
  ]
  for (const answer of ['tap', 'text'] as const) {
    const talk = createTalk({ steps })
    const asked = talk.enter()
    const no = answer === 'tap' ? talk.tap(asked.parts[0], 'no') : talk.write('No, thanks')
    t.same([no.calls, no.said, no.warnings], [[], ['Kept: The person declined.'], []])
  }
})

t.test('A text is never the yes to an action', async (t) => {
  const talk = createTalk({ steps: [{ action: 'scheduling.cancel', confirm: 'Cancel it?' }, end] })
  talk.enter()
  t.same(talk.digress('What does it cost?').said, ['Cancel it? [yes] [no]'])
  for (let nth = 1; nth < limits.invalidAnswers; nth++) {
    const turn = talk.write(nth % 2 ? 'yes' : 'sure, go ahead')
    t.same([turn.calls, turn.said], [[], ['Please answer yes or no.', 'Cancel it? [yes] [no]']])
  }
  const dropped = talk.write('yes')
  t.same([dropped.calls, dropped.next], [[], 'done'], 'and in the end it counts as declined')
})

t.test('A failed action is repeated once, then a human takes over; on_error says otherwise', async (t) => {
  const attempts = (on_error: Step['on_error'], outcome: ToolOutcome) => {
    const turn = act({ action: 'integration:crm', ...(on_error && { on_error }) }, { tools: () => outcome })
    return [turn.calls.length, turn.next, ...turn.outcomes, ...turn.warnings]
  }
  t.same(attempts(undefined, failed), [2, 'human', 'handoff', 'tool.failed', 'tool.failed'])
  t.same(attempts('retry', failed), [2, 'human', 'handoff', 'tool.failed', 'tool.failed'])
  t.same(attempts('handoff', failed), [1, 'human', 'handoff', 'tool.failed'])
  t.same(attempts('branch', failed), [1, 'done', 'done', 'tool.failed'])
  t.same(attempts(undefined, unknown), [1, 'human', 'handoff', 'tool.unknown'], 'an unknown outcome is never repeated')
  t.same(attempts('retry', unknown), [1, 'human', 'handoff', 'tool.unknown'])
  t.same(attempts('branch', unknown), [1, 'done', 'done', 'tool.unknown'])
  t.same(attempts(undefined, { state: 'refused', reason: 'No.' }), [1, 'human', 'handoff', 'tool.refused'])
  t.same(attempts(undefined, { state: 'captured', result: 1 }), [1, 'done', 'done'], 'captured counts as done')
  let nth = 0
  const second = act({ action: 'integration:crm' }, { tools: () => (nth++ === 0 ? failed : done()) })
  t.same([second.calls.length, second.next], [2, 'done'])
})

t.test('With on_error branch the next step sees the error, until an action is done', async (t) => {
  const steps: Step[] = [
    { action: 'integration:crm', on_error: 'branch' },
    { say: 'First: {error|fine}' },
    { action: 'people.save', with: { email: 'a@b.co' } },
    { say: 'Then: {error|fine}' },
  ]
  const turn = createTalk({ steps, tools: ({ name }) => (name === 'people.save' ? done() : failed) }).enter()
  t.same(turn.said, ['First: The system is away.', 'Then: fine'])
})

t.test('Results of actions are read by the name of the tool and a path', async (t) => {
  const result = { id: 7, ok: true, items: [{ name: '*First*' }], deep: { er: 'x' } }
  const steps: Step[] = [
    { action: 'integration:crm' },
    { action: 'tool:@svc/tool.order-lookup' },
    { action: 'knowledge.search', with: { query: 'x' } },
    { branch: [{ if: 'last.integration.crm.ok and last.tool.order-lookup.id == 7', goto: 'yes' }] },
    end,
    {
      id: 'yes',
      say: '{last.integration.crm.items.0.name} {last.tool.order-lookup.deep.er} {last.knowledge.search.id} {last.integration.crm.none|-}',
    },
  ]
  t.same(createTalk({ steps, tools: () => done(result) }).enter().said, ['\\*First\\* x 7 -'])
})

t.test('An action is done once for the same arguments, however often the flow comes by', async (t) => {
  const steps: Step[] = [
    { id: 'again', collect: 'a' },
    { action: 'integration:crm', with: { a: '{a}' } },
    { collect: 'b' },
    { branch: [{ if: 'b == again', goto: 'again' }] },
    end,
  ]
  const slots: Slot[] = [
    { name: 'a', type: 'string' },
    { name: 'b', type: 'string' },
  ]
  const talk = createTalk({ slots, steps })
  talk.enter()
  t.equal(talk.write('one').calls.length, 1)
  const stuck = talk.write('again')
  t.same([stuck.calls, stuck.next, stuck.warnings], [[], 'human', ['flow.stuck']], 'nothing can change in that loop')
})

t.test('When the time is taken, the slot is cleared and asked again among the times that are free now', async (t) => {
  let offers = ['2030-05-14T15:00:00+02:00', '2030-05-15T15:00:00+02:00']
  let outcome: ToolOutcome = refused
  const options: TalkOptions = {
    slots: [{ name: 'time', type: 'timeslot' }],
    steps: [
      { say: 'Hi' },
      { collect: 'time' },
      { say: 'One moment.' },
      { action: 'scheduling.book', on_error: 'branch' },
      end,
    ],
    tools: ({ name }) =>
      name === 'scheduling.availability'
        ? done({ zone: 'Europe/Paris', slots: offers.map((start) => ({ id: start, start })) })
        : outcome,
  }
  const talk = createTalk(options)
  const asked = talk.enter()
  offers = ['2030-05-15T15:00:00+02:00', '2030-05-16T15:00:00+02:00']
  const again = talk.tap(asked.parts[0], '2030-05-14T15:00:00+02:00')
  t.same(again.said, [
    'One moment.',
    'The time is taken.',
    'Time? [2030-05-15T15:00:00+02:00] [2030-05-16T15:00:00+02:00]',
  ])
  t.same([again.slots, again.warnings], [{}, ['tool.refused']])
  outcome = done()
  const booked = talk.tap(again.parts[0], '2030-05-16T15:00:00+02:00')
  t.same([booked.outcomes, booked.calls.length], [['done'], 1])

  outcome = refused
  const endless = createTalk(options)
  endless.enter()
  for (let nth = 1; nth < limits.invalidAnswers; nth++) t.equal(endless.write('1').next, 'wait')
  const given = endless.write('1')
  t.same([given.next, given.outcomes], ['human', ['abandoned']], 'that is bounded like invalid answers')
})

t.test('A turn that ended before the outcome of its call leaves the outcome unknown', async (t) => {
  const stack = [
    {
      playbookId: 'main',
      step: 0,
      slots: {},
      waiting: { kind: 'call' as const, key: 'k', call: { name: 'integration:crm', arguments: {} }, attempt: 1 },
    },
  ]
  const talk = createTalk({
    steps: [{ action: 'integration:crm', on_error: 'branch' }, { say: 'Sorry: {error}' }],
    stack,
  })
  const turn = talk.write('hello?')
  t.same(
    [turn.calls, turn.said, turn.warnings],
    [[], ['Sorry: It is not known whether it was done.'], ['tool.unknown']],
  )
})

t.test('A tool that does not exist leads on like one that failed, with a warning', async (t) => {
  for (const action of ['teleport.now', 'scheduling.dance', 'people']) {
    const human = act({ action })
    t.same([human.calls, human.next, human.warnings], [[], 'human', ['flow.missing']], action)
    const steps: Step[] = [{ action, on_error: 'branch' }, { say: 'Without it.' }, end]
    t.same(createTalk({ steps }).enter().said, ['Without it.'])
  }
})

t.test('Reads of one plan are bounded', async (t) => {
  const steps: Step[] = Array.from({ length: 12 }, (_, nth) => ({
    action: 'knowledge.search',
    with: { query: `q${nth}` },
    on_error: 'branch' as const,
  }))
  const turn = createTalk({ steps: [...steps, end] }).enter()
  t.same([turn.calls.length, turn.next, turn.warnings[0]], [8, 'done', 'tool.failed'])
})

t.test('Results are kept up to a bound, and still nothing is repeated', async (t) => {
  const count = 60
  const steps: Step[] = Array.from({ length: count }, (_, nth) => ({ action: 'integration:crm', with: { nth } }))
  const slots: Slot[] = [
    { name: 'mail', type: 'email' },
    { name: 'x', type: 'string' },
  ]
  const talk = createTalk({
    slots,
    steps: [{ collect: 'mail' }, ...steps, { collect: 'x' }, end],
    tools: () => done({ text: 'x'.repeat(100) }),
  })
  talk.enter()
  const first = talk.write('a@b.co')
  t.equal(first.calls.length, count)
  t.equal(
    first.frames[0]?.results?.filter(({ outcome }) => 'result' in outcome && outcome.result !== null).length,
    limits.results,
  )
  t.same(talk.write('my email is c@d.co').calls, [])
})

t.test('A flow that makes more different calls than a frame keeps is stuck', async (t) => {
  const steps: Step[] = Array.from({ length: limits.calls + 1 }, (_, nth) => ({
    action: 'integration:crm',
    with: { nth },
  }))
  const turn = createTalk({ steps }).enter()
  t.same([turn.calls.length, turn.next, turn.warnings], [limits.calls, 'human', ['flow.stuck']])
})

t.test('Arguments are bounded, however often they name a long value', async (t) => {
  const talk = createTalk({
    slots: [{ name: 'a', type: 'string' }],
    steps: [
      { collect: 'a' },
      { action: 'integration:crm', with: { text: '{a}'.repeat(1_000), list: Array(500).fill('{a}') } },
      { say: '{a}'.repeat(1_000) },
    ],
  })
  talk.enter()
  const turn = talk.write('x'.repeat(4_000))
  t.ok(JSON.stringify(turn.calls).length < 30_000)
  t.ok(JSON.stringify(turn.said).length < 30_000)
})

t.test('A document that changed while a call was made does no harm', async (t) => {
  const call = { name: 'integration:crm', arguments: {} }
  const waiting = { kind: 'call' as const, key: 'k', call, attempt: 1 }
  const document = documentWith({ main: { steps: [{ say: 'New' }, end] } as never })
  for (const step of [0, 5]) {
    const talk = createTalk({ document, stack: [{ playbookId: 'main', step, slots: {}, waiting }] })
    t.same(talk.outcome(done()).next, 'done')
  }
})
