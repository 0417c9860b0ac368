/** Flows as a phone sees them: questions, what is already on file, read-backs, branches, calls and ends. */
import t from 'tap'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

interface Shape {
  readonly slots?: readonly object[]
  readonly steps: readonly object[]
  readonly [more: string]: unknown
}
const playbook = (id: string, flow: Shape | undefined, more: object = {}) => ({
  ...{ id, name: id, uses: ['people'], body: `Body of ${id}.`, whenToUse: `The person says ${id}.` },
  ...(flow && { flow }),
  ...more,
})
const main = (flow: Shape, more: object = {}) => playbook('main', flow, { isDefault: true, ...more })
const { identity } = clinic
const fields = { people: { fields: [{ key: 'plan', label: 'Plan', type: 'string' }] } }
const people = { capabilities: fields }

t.test('R29, R31: say, branch, call and end are one turn, and its outcome is in the record', async (t) => {
  const document = {
    ...people,
    playbooks: [
      main({
        slots: [{ name: 'size', type: 'number', required: true, prompt: 'How many are you?' }],
        steps: [
          { collect: 'size' },
          { branch: [{ if: 'size > 8', goto: 'large' }], else: 'small' },
          { id: 'large', call: 'groups' },
          { end: { outcome: 'group' } },
          { id: 'small', say: { text: 'A table for {size}.', suggestions: ['Thanks', 'Change it'] } },
          { end: { outcome: 'table' } },
        ],
      }),
      playbook('groups', { steps: [{ say: 'Groups of {size} sit upstairs.' }] }),
    ],
  }
  const stage = await openStage(t, document)
  const ann = stage.phone('sms', '+12075550130')
  t.match((await ann.write('hello')).text, /How many are you/)
  const small = await ann.write('4')
  t.match(small.text, /A table for 4\.[\s\S]*1\. Thanks\n2\. Change it/)
  t.match(small.turn, { outcomes: ['table'], flow: { outcome: 'table' } })
  const bob = stage.phone('sms', '+12075550131')
  await bob.write('hello')
  t.match((await bob.write('twelve people, 12')).turn.outcomes, ['group'])
})

t.test('R30: every type of slot is read from plain words, and an invalid value is asked for again', async (t) => {
  const slots = [
    { name: 'email', type: 'email', required: true, prompt: 'Email?' },
    { name: 'phone', type: 'phone', required: true, prompt: 'Phone?' },
    { name: 'day', type: 'date', required: true, prompt: 'Which day?' },
    { name: 'count', type: 'number', required: true, prompt: 'How many?' },
    { name: 'room', type: 'enum', required: true, options: ['Single', 'Double'], prompt: 'Which room?' },
    { name: 'pets', type: 'boolean', required: true, prompt: 'Any pets?' },
    { name: 'code', type: 'string', required: true, validate: '/^[A-Z]{3}$/', prompt: 'Which code?' },
  ]
  const steps = [{ collect: slots.map(({ name }) => name) }, { say: '{email} {phone} {day} {count} {room} {code}' }]
  const stage = await openStage(t, { ...people, playbooks: [main({ slots, steps })] })
  const ann = stage.phone('sms', '+12075550132')
  t.match((await ann.write('hello')).text, /Email\?/)
  t.match((await ann.write('no idea')).text, /Email\?/)
  t.match((await ann.write('it is ann@example.com')).text, /Phone\?/)
  t.match((await ann.write('(207) 555-0199')).text, /Which day\?/)
  t.match((await ann.write('on March 3rd')).text, /How many\?/)
  t.match((await ann.write('two')).text, /Which room\?/)
  t.match((await ann.write('2')).text, /Any pets\?/)
  t.match((await ann.write('no')).text, /Which code\?/)
  t.match((await ann.write('abc')).text, /Which code\?/)
  t.match((await ann.write('ABC')).text, /ann@example\.com \+12075550199 .*2 Double ABC/)
})

t.test('R30: a bound slot on file is not asked, and confirm reads a value back once', async (t) => {
  const slots = [
    { name: 'name', type: 'string', required: true, bind: 'person.firstName', prompt: 'Your name?' },
    { name: 'plan', type: 'string', required: true, confirm: true, prompt: 'Which plan?' },
  ]
  const steps = [{ collect: ['name', 'plan'] }, { say: '{name} takes {plan}.' }]
  const stage = await openStage(t, { ...people, playbooks: [main({ slots, steps })] })
  const ann = stage.phone('sms', '+12075550133')
  const address = { channel: 'sms', address: '+12075550133' }
  await stage.manage('POST', '/people', { firstName: 'Ann', phone: address.address }).catch(() => undefined)
  t.match((await ann.write('hello')).text, /Your name\?|Which plan\?/)
  if (/Your name/.test(ann.requests().at(-1)!.text)) await ann.write('Ann')
  t.match((await ann.write('Gold')).text, /Gold/)
  t.match((await ann.write('no')).text, /Which plan/)
  await ann.write('Silver')
  t.match((await ann.write('yes')).text, /Ann takes Silver/)
})

t.test(
  'Decision 11: after three invalid answers an optional slot is skipped and a required one ends with a contact',
  async (t) => {
    const flow = (required: boolean) => ({
      slots: [{ name: 'email', type: 'email', required, prompt: 'Email?' }],
      steps: [{ collect: 'email' }, { say: 'Going on.' }],
    })
    for (const [required, expected] of [
      [false, /Going on/],
      [true, /People are at the desk/],
    ] as const) {
      const stage = await openStage(t, { identity, ...people, playbooks: [main(flow(required))] })
      const ann = stage.phone('sms', '+12075550134')
      await ann.write('hello')
      await ann.write('one')
      await ann.write('two')
      const last = await ann.write('three')
      t.match(last.text, expected)
      t.same(
        last.turn.warnings.map(({ code }: { code: string }) => code),
        required ? ['flow.slot.exhausted'] : [],
      )
      if (required) t.match(last.turn.outcomes, ['abandoned'])
    }
  },
)

t.test('Decision 10: a Fact within a flow is answered, and then the pending question is asked again', async (t) => {
  const flow = {
    slots: [{ name: 'plan', type: 'string', required: true, prompt: 'Which plan?' }],
    steps: [{ collect: 'plan' }],
  }
  const facts = [{ id: 'hours', question: 'When are you open?', answer: 'From 8 to 18.' }]
  const stage = await openStage(t, { playbooks: [main(flow)], capabilities: { ...fields, knowledge: { facts } } })
  const ann = stage.phone('sms', '+12075550135')
  await ann.write('hello')
  t.match((await ann.write('When are you open?')).text, /From 8 to 18\.[\s\S]*Which plan\?/)
})

t.test('R31: "never mind" leaves the flow, and the record has the outcome cancelled', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550136')
  await ann.write('Book a visit')
  const answer = await ann.write('never mind')
  t.match(answer.text, /I have stopped this/)
  t.match(answer.turn.outcomes, ['cancelled'])
})

t.test('Decision 12, 13: conditions read slots, the person, results of actions and errors', async (t) => {
  const document = {
    ...people,
    playbooks: [
      main({
        slots: [{ name: 'plan', type: 'string', required: true, prompt: 'Which plan?' }],
        steps: [
          { collect: 'plan' },
          { action: 'people.save', with: { fields: { 'customFields.plan': '{plan}' } }, on_error: 'branch' },
          { branch: [{ if: 'not error and (slots.plan in ["Gold", "Silver"])', goto: 'good' }], else: 'other' },
          { id: 'good', say: 'A fine plan.' },
          { end: { outcome: 'good' } },
          { id: 'other', say: 'Noted.' },
          { end: { outcome: 'other' } },
        ],
      }),
    ],
  }
  const stage = await openStage(t, document)
  const ann = stage.phone('sms', '+12075550137')
  await ann.write('hello')
  t.match((await ann.write('Gold')).text, /A fine plan/)
  t.match(await ann.person(), { customFields: { plan: 'Gold' } })
  const bob = stage.phone('sms', '+12075550138')
  await bob.write('hello')
  t.match((await bob.write('Copper')).text, /Noted/)
})

t.test('R31, R14: a handoff to a human shows the contact options, one to a playbook goes on there', async (t) => {
  const document = {
    ...{ identity, ...people },
    playbooks: [
      main({
        slots: [{ name: 'way', type: 'enum', required: true, options: ['Person', 'Sales'], prompt: 'Whom?' }],
        steps: [
          { collect: 'way' },
          { branch: [{ if: 'way == "Sales"', goto: 'sell' }], else: 'human' },
          { id: 'sell', handoff: 'playbook:sales' },
          { id: 'human', handoff: 'human' },
        ],
      }),
      playbook('sales', { steps: [{ say: 'Sales here.' }] }),
    ],
  }
  const stage = await openStage(t, document)
  const ann = stage.phone('sms', '+12075550139')
  await ann.write('hello')
  t.match((await ann.write('1')).text, /People are at the desk/)
  const bob = stage.phone('sms', '+12075550140')
  await bob.write('hello')
  const answer = await bob.write('2')
  t.match(answer.text, /Sales here/)
  t.match(answer.turn.playbook, { after: 'sales', why: 'handoff' })
})

t.test(
  'R32, decision 12: a flow that can never end, or a condition in prose, is refused when it is written',
  async (t) => {
    const slots = [{ name: 'plan', type: 'string' }]
    const endless = [
      { id: 'a', say: 'Round.' },
      { branch: [{ if: 'plan empty', goto: 'a' }], else: 'a' },
    ]
    const prose = [
      { branch: [{ if: 'the person seems sad', goto: 'a' }], else: 'a' },
      { id: 'a', say: 'So.' },
    ]
    const stage = await openStage(t, undefined)
    for (const [steps, code] of [
      [endless, 'flow.loop.endless'],
      [prose, 'flow.condition.unreadable'],
    ] as const) {
      const playbooks = [main({ slots, steps })]
      await t.rejects(stage.manage('POST', '/import', { format: 'agent/1', playbooks }), new RegExp(code))
    }
  },
)
