/** Dry runs: the engine with a person who answers by type and tools that are captured. */
import t from 'tap'
import { findItem } from '../../../core/agent/index.js'
import { slotTypes } from '../../../core/agent/resources/flow.js'
import { dryRunFlow } from '../../../core/flow/dryrun.js'
import { languageModel as limits } from '../../../core/limits/index.js'
import { documentWith, type Flow, type Playbook, type Slot } from './talk.js'

function dryRun(flow: Partial<Flow>, flows: Record<string, Flow> = {}) {
  const document = documentWith({ booking: flow as Flow, ...flows })
  return dryRunFlow(document, findItem(document, 'playbooks', 'booking') as Playbook & { flow: Flow })
}

t.test('R33: a dry run asks each slot once and reports what was said, walked and called', async (t) => {
  const walk = dryRun({
    slots: [{ name: 'day', type: 'date', prompt: 'Which day?' }],
    steps: [
      { collect: 'day' },
      { action: 'scheduling.book', with: { day: '{day}' } },
      { say: { text: 'Done for {day}.', suggestions: ['Thanks'] } },
      { end: { outcome: 'booked' } },
    ],
  })
  t.same(walk, {
    reachedEnd: true,
    outcome: 'booked',
    toolCalls: [{ action: 'scheduling.book', with: { day: '2030-05-14' } }],
    turns: [
      { person: 'Hello', agent: ['Which day?'], trace: ['steps[0] collect'] },
      {
        person: '2030-05-14',
        agent: ['Done for 2030-05-14. [Thanks]'],
        trace: ['steps[1] action', 'steps[2] say', 'steps[3] end'],
      },
    ],
  })
})

t.test('A dry run takes every way of a branch that it comes by again, and reports where it is stuck', async (t) => {
  const looping = dryRun({
    steps: [
      { id: 'a', say: 'Again?' },
      { id: 'b', branch: [{ if: 'yes', goto: 'a' }], else: 'c' },
      { id: 'c', handoff: 'human' },
    ],
  })
  t.match(looping, { reachedEnd: true, outcome: 'handoff human' })
  t.same(looping.turns[0]?.trace, ['a say', 'b branch', 'a say', 'b branch', 'c handoff'])
  const stuck = dryRun({
    steps: [
      { id: 'a', say: 'Round' },
      { branch: [{ if: 'x', goto: 'a' }], else: 'a' },
    ],
  })
  t.match(stuck, { reachedEnd: false, stuckAt: 'steps[1]' })
  t.equal(stuck.turns[0]!.trace.length, limits.simulationSteps)
  const asking = dryRun({
    slots: [{ name: 'a', type: 'string' }],
    steps: [{ id: 'a', collect: 'a' }, { call: 'booking' }],
  })
  t.match(asking, { reachedEnd: false, stuckAt: 'steps[1]' })
})

t.test('The outcome is that of the last end, the handoff, or how the flow completes', async (t) => {
  t.equal(dryRun({ steps: [{ say: 'Bye' }] }).outcome, 'return')
  t.equal(dryRun({ steps: [{ say: 'Bye' }], onComplete: 'end' }).outcome, 'completed')
  t.equal(
    dryRun({ steps: [{ handoff: 'other' }] }, { other: { steps: [] } as never }).outcome,
    'handoff playbook:other',
  )
  t.equal(dryRun({ steps: [{ end: { outcome: 'sold', handoff: 'human' } }] }).outcome, 'sold')
  t.equal(
    dryRun(
      { steps: [{ call: 'other' }, { end: { outcome: 'sold' } }] },
      { other: { steps: [{ end: { outcome: 'x' } }] } as never },
    ).outcome,
    'sold',
  )
})

t.test('The person of a dry run has an answer for slots of every type, confirmed and checked', async (t) => {
  const slots = slotTypes.flatMap((type): Slot[] => [
    { name: type, type, ...(type === 'enum' && { options: ['Gold', 'Silver'] }), confirm: true },
    { name: `${type}2`, type, ...(type === 'enum' && { source: 'integration:list' }), validate: '/^never$/' },
  ])
  const checked: Slot[] = [
    { name: 'min', type: 'number', validate: 'min:18' },
    { name: 'chosen', type: 'string', options: ['a', 'b'], validate: 'minLength:5' },
    { name: 'bound', type: 'email', bind: 'person.email' },
  ]
  const all = [...slots, ...checked]
  const walk = dryRun({ slots: all, steps: [{ collect: all.map(({ name }) => name) }, { end: { outcome: 'done' } }] })
  t.match(walk, { reachedEnd: true, outcome: 'done' })
  t.ok(walk.turns.some(({ person, agent }) => person === 'Gold' && agent[0]?.includes('Is this right?')))
  t.ok(walk.turns.some(({ person }) => person === '18'))
})

t.test('Confirmed actions are done, and every tool has a result that fits', async (t) => {
  const actions = [
    'scheduling.availability',
    'scheduling.book',
    'scheduling.reschedule',
    'scheduling.cancel',
    'people.save',
    'notify.team',
    'knowledge.search',
    'integration:crm',
    'tool:@svc/tool.order-lookup',
  ]
  const walk = dryRun({
    slots: [{ name: 'time', type: 'timeslot', source: 'scheduling.availability' }],
    steps: [
      { collect: 'time' },
      ...actions.map((action) => ({ action, confirm: 'Sure?' })),
      { say: 'Booked at {last.scheduling.book.start}' },
    ],
  })
  t.match(walk, { reachedEnd: true })
  t.same(
    walk.toolCalls.map(({ action }) => action),
    ['scheduling.availability', ...actions],
  )
  t.match(walk.turns.at(-1)?.agent, ['Booked at 2030-05-14T09:00:00+00:00'])
})

t.test('A flow that needs what cannot be had does not reach its end', async (t) => {
  const unknown: Slot = { name: 'store', type: 'enum', source: 'nowhere.list' }
  const walk = dryRun({ slots: [unknown], steps: [{ id: 'ask', collect: 'store' }, { end: { outcome: 'done' } }] })
  t.match(walk, { reachedEnd: false, stuckAt: 'ask' })
})
