/** Calls of other flows, handoffs, ends and branches, and targets that are missing. */
import t from 'tap'
import { flow as limits } from '../../../core/limits/index.js'
import { createTalk, documentWith, done, type Flow, type Slot, type Step } from './talk.js'

const end: Step = { end: { outcome: 'done' } }
const flowOf = (steps: Step[], slots: Slot[] = [], more: Partial<Flow> = {}): Flow => ({ steps, slots, ...more })
const mail: Slot = { name: 'mail', type: 'email' }
const name: Slot = { name: 'name', type: 'string' }

t.test('A branch takes the first way whose condition holds, else its else, else the next step', async (t) => {
  const way = (steps: Step[], text: string) => {
    const talk = createTalk({ slots: [{ name: 'n', type: 'number' }], steps: [{ collect: 'n' }, ...steps] })
    talk.enter()
    return talk.write(text).said
  }
  const branch = [
    { if: 'n > 10', goto: 'many' },
    { if: 'n > 5', goto: 'some' },
    { if: 'they are many people', goto: 'never' },
  ]
  const ends: Step[] = [
    { id: 'next', say: 'next' },
    end,
    ...['many', 'some', 'none', 'never'].flatMap((id): Step[] => [{ id, say: id }, end]),
  ]
  t.same(way([{ branch, else: 'none' }, ...ends], '12'), ['many'])
  t.same(way([{ branch, else: 'none' }, ...ends], '7'), ['some'])
  t.same(way([{ branch, else: 'none' }, ...ends], '1'), ['none'], 'a condition that cannot be read is false')
  t.same(way([{ branch }, ...ends], '1'), ['next'])
})

t.test('A called flow runs and returns to the next step of its caller', async (t) => {
  const talk = createTalk({
    steps: [{ say: 'Before' }, { call: 'inner' }, { say: 'After' }, end],
    flows: { inner: flowOf([{ collect: 'name' }, { say: 'Hi {name}' }], [name], { onComplete: 'end' }) },
  })
  t.same(talk.enter().said, ['Before', 'Name?'])
  t.same(
    talk.stack().map(({ playbookId }) => playbookId),
    ['main', 'inner'],
  )
  const after = talk.write('Ada')
  t.same([after.said, after.outcomes], [['Hi Ada', 'After'], ['done']])
  t.same(after.trace, ['inner:1 say', 'main:2 say', 'main:3 end'])
})

t.test('An end in a called flow records its outcome and returns; a handoff in it leaves all flows', async (t) => {
  const inner = (step: Step) =>
    createTalk({ steps: [{ call: 'inner' }, { say: 'After' }, end], flows: { inner: flowOf([step]) } }).enter()
  t.same(inner({ end: { outcome: 'inner' } }).outcomes, ['inner', 'done'])
  t.same(inner({ handoff: 'human' }).said, [])
  t.same(inner({ end: { outcome: 'inner', handoff: 'human' } }).next, 'human')
})

t.test('Slots of the same name and type are shared with a called flow, in both directions', async (t) => {
  const talk = createTalk({
    slots: [mail, name, { name: 'other', type: 'number' }],
    steps: [{ collect: 'name' }, { call: 'contact' }, { collect: ['mail', 'other'] }, { say: '{name} {mail}' }],
    flows: {
      contact: flowOf(
        [{ collect: ['name', 'mail', 'other'] }, { action: 'integration:crm' }],
        [name, mail, { name: 'other', type: 'string' }],
      ),
    },
    tools: () => done({ id: 1 }),
  })
  talk.enter()
  t.same(talk.write('Ada').said, ['Mail?'])
  t.same(talk.write('a@b.co').said, ['Other?'])
  t.same(talk.write('x').said, ['Other?'], 'a slot of another type is another slot')
  t.same(talk.write('4').said, ['Ada a@b.co'])
})

t.test(
  'Results of a called flow are read by its caller, and after a correction an unchanged call is not run again',
  async (t) => {
    const talk = createTalk({
      slots: [mail, name, { name: 'x', type: 'string' }],
      steps: [{ call: 'contact' }, { say: 'Got {last.integration.crm.id}' }, { collect: ['name', 'x'] }, end],
      flows: {
        contact: flowOf(
          [{ collect: ['mail', 'party'] }, { action: 'integration:crm', with: { mail: '{mail}' } }],
          [mail, { name: 'party', type: 'number' }],
        ),
      },
      tools: () => done({ id: 7 }),
    })
    talk.enter()
    talk.write('a@b.co')
    const returned = talk.write('4')
    t.same([returned.said, returned.calls.length], [['Got 7', 'Name?'], 1])
    talk.write('Ada')
    const corrected = talk.write('no, my name is Grace')
    t.same([corrected.said, corrected.calls], [['X?'], []])
  },
)

t.test('A shared slot that is corrected runs the called flow again, without repeating what is unchanged', async (t) => {
  const talk = createTalk({
    slots: [mail, { name: 'x', type: 'number' }],
    steps: [{ collect: 'mail' }, { call: 'contact' }, { collect: 'x' }, end],
    flows: {
      contact: flowOf([{ action: 'integration:crm', with: { mail: '{mail}' } }, { action: 'integration:log' }], [mail]),
    },
  })
  talk.enter()
  t.equal(talk.write('a@b.co').calls.length, 2)
  t.same(talk.write('change my mail to c@d.co').calls, [{ name: 'integration:crm', arguments: { mail: 'c@d.co' } }])
})

t.test('A flow that is corrected and then called once more runs once more', async (t) => {
  const talk = createTalk({
    slots: [{ name: 'more', type: 'boolean' }],
    steps: [{ id: 'again', call: 'item' }, { branch: [{ if: 'more empty', goto: 'again' }] }, end],
    flows: {
      item: flowOf(
        [{ collect: ['name', 'size'] }, { action: 'integration:add', with: { name: '{name}' } }],
        [name, { name: 'size', type: 'number' }],
      ),
    },
  })
  talk.enter()
  talk.write('Chair')
  talk.write('no, the name is Table')
  const added = talk.write('4')
  t.same([added.calls, added.said], [[{ name: 'integration:add', arguments: { name: 'Table' } }], ['Name?']])
})

t.test('Past the last step a flow returns, or ends with the outcome completed', async (t) => {
  const finish = (onComplete?: 'return' | 'end') => {
    const { ending, outcomes } = createTalk({
      steps: [{ say: 'Bye' }],
      flow: { ...(onComplete && { onComplete }) },
    }).enter()
    return [Object.values(ending), outcomes]
  }
  t.same(finish(), [['done', 'return'], []])
  t.same(finish('return'), [['done', 'return'], []])
  t.same(finish('end'), [['done', 'end'], ['completed']])
  const ended = createTalk({ steps: [end], flow: { onComplete: 'end' } }).enter()
  t.same([Object.values(ended.ending), ended.outcomes], [['done', 'end'], ['done']])
})

t.test('A handoff is to a human with the outcome handoff, or to a playbook by either of its names', async (t) => {
  const to = (step: Step) => {
    const { ending, outcomes, frames } = createTalk({
      steps: [step, { say: 'Never' }],
      flows: { other: undefined },
    }).enter()
    return [ending, outcomes, frames]
  }
  t.same(to({ handoff: 'human' }), [{ kind: 'human' }, ['handoff'], []])
  t.same(to({ handoff: 'playbook:other' }), [{ kind: 'playbook', playbookId: 'other' }, [], []])
  t.same(to({ handoff: 'other' }), [{ kind: 'playbook', playbookId: 'other' }, [], []])
  t.same(to({ end: { outcome: 'sold', handoff: 'other' } }), [{ kind: 'playbook', playbookId: 'other' }, ['sold'], []])
  t.same(to({ end: { outcome: 'sold', handoff: 'human' } }), [{ kind: 'human' }, ['sold'], []])
})

t.test('A missing target gives a warning and the nearest sane way on', async (t) => {
  const run = (...steps: Step[]) => {
    const { said, next, warnings } = createTalk({ steps, flows: { flowless: undefined } }).enter()
    return [said, next, warnings]
  }
  const missing = ['flow.missing']
  t.same(run({ branch: [{ if: 'not x', goto: 'gone' }] }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ branch: [{ if: 'x', goto: 'y' }], else: 'gone' }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ call: 'gone' }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ call: 'flowless' }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ say: 'template:gone' }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ collect: 'gone' }, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({} as Step, { say: 'Next' }), [['Next'], 'done', missing])
  t.same(run({ handoff: 'gone' }), [[], 'human', missing])
  t.same(run({ end: { outcome: 'x', handoff: 'gone' } }), [[], 'human', missing])
  t.same(
    run({ say: 'template:gone' }),
    [[], 'human', missing],
    'a flow that says nothing for that reason is for a human',
  )
})

t.test('A flow that was removed while it ran is for a human', async (t) => {
  for (const flows of [{}, { main: undefined }]) {
    const talk = createTalk({ document: documentWith(flows), stack: [{ playbookId: 'main', step: 1, slots: {} }] })
    const turn = talk.write('hello')
    t.same([turn.next, turn.outcomes, turn.warnings], ['human', ['abandoned'], ['flow.missing']])
  }
  const document = documentWith({ main: flowOf([{ collect: 'name' }, end], [name]) })
  const waiting = { kind: 'slot' as const, slot: 'gone' }
  const talk = createTalk({ document, stack: [{ playbookId: 'main', step: 0, slots: {}, waiting }] })
  t.same(talk.write('hello').said, ['Name?'], 'a slot that was removed is no longer asked for')
  const past = createTalk({ document, stack: [{ playbookId: 'main', step: 99, slots: {} }] })
  t.equal(past.write('hello').next, 'done')
})

t.test(
  'Flows that call each other in a circle are stuck at the ninth, a flow that never asks at its step limit',
  async (t) => {
    const circle = createTalk({ steps: [{ call: 'main' }] }).enter()
    t.same([circle.next, circle.outcomes, circle.warnings], ['human', ['abandoned'], ['flow.stuck']])
    t.equal(circle.trace.length, limits.depth)
    const endless = createTalk({
      steps: [
        { id: 'a', say: 'Round' },
        { branch: [{ if: 'x', goto: 'a' }], else: 'a' },
      ],
    }).enter()
    t.same([endless.next, endless.warnings, endless.trace.length], ['human', ['flow.stuck'], limits.stepsPerTurn])
    t.same(endless.said, ['Round'], 'and what it said in its circle is said once')
    const flood = createTalk({
      steps: Array.from({ length: 20 }, (_, nth): Step => ({ say: `${nth} ${'x'.repeat(4_000)}` })),
    }).enter()
    t.same([flood.next, flood.warnings, flood.said.length], ['human', ['flow.stuck'], 10])
    const deep = Object.fromEntries(
      Array.from({ length: 7 }, (_, nth) => [
        `f${nth}`,
        flowOf(nth < 6 ? [{ call: `f${nth + 1}` }] : [{ say: 'Deep' }]),
      ]),
    )
    t.same(createTalk({ steps: [{ call: 'f0' }, end], flows: deep }).enter().said, ['Deep'], 'eight are allowed')
  },
)
