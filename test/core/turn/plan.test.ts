/** Planning of turns: the order in which answers are found, and what holds for any document and anything that comes. */
import fc from 'fast-check'
import t from 'tap'
import { slotTypes } from '../../../core/agent/resources/flow.js'
import { validateMessage } from '../../../core/amf/index.js'
import { flow as flowLimits, turn as limits } from '../../../core/limits/index.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import { anyText } from '../../harness/arbitraries.js'
import { createTalk, documentWith, type Turned } from './talk.js'

t.setTimeout(300_000)

const say = (text: string) => ({ steps: [{ say: text }] })
const playbook = (id: string, more: object = {}) => ({ id, name: id, body: '', uses: [], isDefault: false, ...more })
const stage = playbook('desk', { isDefault: true, flow: say('What can I do?') })
const plan = { slots: [{ name: 'plan', type: 'string', prompt: 'Which plan?' }], steps: [{ collect: 'plan' }] }
const exact = { id: 'fee', question: 'Is there a late fee?', answer: 'Yes: $40, [*always*].', exact: true }
const codes = ({ findings }: Turned) => findings.warnings.map(({ code }) => code)

t.test('C7: an exact Fact goes before a request for a person, a playbook and a flow', (t) => {
  const facts = [{ ...exact, question: 'Talk to a person' }]
  const talk = createTalk(
    documentWith({ facts, playbooks: [stage, playbook('Talk to a person', { flow: say('No.') })] }),
  )
  t.match(talk.write('talk to a person').findings.found, [{ kind: 'fact', id: 'fee' }])
  t.end()
})

t.test('C7: a playbook without a flow is never entered by words, and its body is never said', (t) => {
  const secret = playbook('prices', { body: 'The secret is blue.', whenToUse: 'The person asks about prices.' })
  const turned = createTalk(documentWith({ playbooks: [stage, secret] })).write('prices')
  t.equal(turned.play.playbookId, 'desk')
  t.notMatch(turned.text, /blue/)
  t.end()
})

t.test('Decision 8: a playbook that ends is not entered again by itself, and may be asked for again', (t) => {
  const talk = createTalk(documentWith({ playbooks: [stage, playbook('plans', { flow: plan })] }))
  talk.write('hello')
  t.match(talk.write('plans').text, /Which plan/)
  talk.write('Gold')
  t.same(codes(talk.write('hello')), ['model.absent'])
  t.match(talk.write('plans').text, /Which plan/)
  t.end()
})

t.test('R8, decision 7: another session keeps neither the playbook nor the flow, and counts on', (t) => {
  const talk = createTalk(documentWith({ playbooks: [stage, playbook('plans', { flow: plan })] }))
  talk.write('plans')
  const { play } = talk.write('hello', { sessionId: 's2' })
  t.match(play, { sessionId: 's2', playbookId: 'desk', stack: [] })
  t.end()
})

t.test('Decision 7: an opening names its playbook; one that is gone leaves the default and a warning', (t) => {
  const playbooks = [stage, playbook('offers', { outreachId: 'spring', flow: plan })]
  const open = (playbookId: string) =>
    createTalk(documentWith({ playbooks }), { start: { kind: 'outreach', playbookId, outreachId: 'spring' } as never })
  t.match(open('offers').write('ok'), { play: { playbookId: 'offers', outreachId: 'spring' }, text: /Which plan/ })
  const missing = open('gone').write('ok')
  t.equal(missing.play.playbookId, 'desk')
  t.same(codes(missing), ['flow.missing'])
  t.end()
})

t.test('Decision 23: the answer of an exact Fact is in the reply character by character', (t) => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 60 }), (answer) => {
      const clean = answer.replace(/[\p{C}\s]+/gu, ' ').trim()
      if (clean === '' || /\[\[|[@:/\d]|www/i.test(clean)) return
      const { messages } = createTalk(documentWith({ facts: [{ ...exact, answer: clean }] })).write(
        'is there a late fee',
      )
      const text = messages.flatMap(({ parts }) => parts.map((part) => String((part as { text?: string }).text)))
      t.ok(
        text.some((each) => each.replaceAll('\\', '').includes(clean.replaceAll('\\', ''))),
        `${clean} ${text}`,
      )
    }),
    { numRuns: 100 },
  )
  t.end()
})

t.test('A flow repeats at its end what it was told before, also addresses and numbers', (t) => {
  const slots = [
    { name: 'email', type: 'email', prompt: 'Email?' },
    { name: 'name', type: 'string', prompt: 'Name?' },
  ]
  const flow = { slots, steps: [{ collect: ['email', 'name'] }, { say: 'Thanks {name}, we write to {email}.' }] }
  const talk = createTalk(documentWith({ playbooks: [playbook('main', { isDefault: true, flow })] }))
  talk.write('hello')
  talk.write('ann@example.com')
  const last = talk.write('Ann')
  t.equal(last.text, 'Thanks Ann, we write to ann@example.com.')
  t.same(codes(last), [])
  t.end()
})

const one = <T>(...values: T[]) => fc.constantFrom(...values)
const ids = ['main', 'two', 'three', 'gone'] as const
const words = fc.oneof(
  one('Hi', '{a}', 'template:t', '[[template: t]]', '[[things: x]]', '[[chips: a | b]]', '[[', '{', ' ', '**x**'),
  anyText({ minLength: 1, maxLength: 30 }),
)
const slot = fc.record(
  {
    name: one('a', 'b', '__proto__'),
    type: one(...slotTypes),
    required: fc.boolean(),
    bind: one('person.email', 'person.customFields.x', 'nothing'),
    options: fc.array(one('Gold', 'Silver', ' '), { minLength: 1, maxLength: 3 }),
    source: one('scheduling.availability', 'integration:list', 'nowhere'),
    prompt: words,
    confirm: fc.boolean(),
  },
  { requiredKeys: ['name', 'type'] },
)
const step = fc.oneof(
  fc.record({ id: one('s1', 's2'), say: words }),
  fc.record({ say: fc.record({ text: words, suggestions: fc.array(one('Yes', 'No', ''), { maxLength: 4 }) }) }),
  fc.record({ collect: one('a', 'b', 'gone') }),
  fc.record({
    action: one('people.save', 'scheduling.book', 'integration:crm', 'gone'),
    on_error: one('retry', 'handoff', 'branch'),
  }),
  fc.record({
    branch: fc.array(fc.record({ if: one('a exists', '((', 'error'), goto: one('s1', 'gone') }), { maxLength: 2 }),
  }),
  fc.record({ call: one(...ids) }),
  fc.record({ handoff: one('human', 'playbook:two', 'three', 'gone') }),
  fc.record({ end: fc.record({ outcome: one('done', 'x') }) }),
)
const flow = fc.record({ slots: fc.array(slot, { maxLength: 3 }), steps: fc.array(step, { maxLength: 6 }) })
const anyPlaybook = (id: string) =>
  fc.record(
    {
      ...{ id: fc.constant(id), name: one(id, 'Book a visit'), body: words, isDefault: fc.constant(id === 'main') },
      uses: fc.constant(['people', 'scheduling', 'integration:crm']),
      ...{ whenToUse: words, flow, messageTemplateRefs: one([], ['greeting']), outreachId: one('spring') },
    },
    { requiredKeys: ['id', 'name', 'body', 'isDefault', 'uses'] },
  )
const fact = fc.record(
  {
    id: one('f1', 'f2'),
    question: one('Is there a fee?', 'Open?'),
    answer: words,
    exact: fc.boolean(),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['id', 'question', 'answer'] },
)
const documents = fc
  .record({
    playbooks: fc.tuple(anyPlaybook('main'), anyPlaybook('two'), anyPlaybook('three')),
    facts: fc.array(fact, { maxLength: 3 }),
    messageTemplates: fc.constant([
      { id: 't', name: 'T', body: 'Dear {person.firstName|you}.' },
      { id: 'greeting', name: 'G', body: '{person.firstName|block-send}' },
    ]),
    guardrails: fc.record({ requiredDisclaimers: fc.array(one('Not *advice*.', 'Recorded.'), { maxLength: 2 }) }),
    identity: fc.record({ contactEmail: one('a@b.example'), contactAvailability: words }, { requiredKeys: [] }),
    sources: fc.constant([{ id: 's', name: 'S', kind: 'text' }]),
  })
  .map(documentWith)
const outcome = one<ToolOutcome>(
  { state: 'ok', result: {} },
  { state: 'ok', result: { passages: [{ sourceId: 's', place: 0, text: 'The fee is high.', score: 9 }] } },
  { state: 'refused', reason: 'No.' },
  { state: 'failed', reason: 'Away.' },
  { state: 'unknown', reason: 'Nobody knows.' } as ToolOutcome,
)
const said = fc.oneof(
  one('Is there a fee?', 'two', 'yes', 'no', 'cancel', 'human', '1', 'Gold', 'skip', '🙂'),
  anyText({ maxLength: 40 }),
)

t.test(
  'For any document and anything that is said: no throw, a valid answer, no more than the limit, one plan',
  (t) => {
    fc.assert(
      fc.property(documents, outcome, fc.array(said, { minLength: 1, maxLength: 5 }), (document, answer, texts) => {
        const talk = createTalk(document, { tools: () => answer })
        const turns = texts.map((text) =>
          text.length % 7 === 3 ? talk.tap('chips', text) : talk.write(text.trim() || 'x'),
        )
        for (const turned of turns) {
          t.ok(turned.messages.length > 0, 'something is said')
          for (const { messages, findings } of turned.steps) {
            t.ok(messages.length <= limits.messages)
            t.ok(findings.trace.length <= limits.traceLines)
            for (const message of messages) t.ok('message' in validateMessage(message), JSON.stringify(message))
          }
        }
        for (const disclaimer of document.guardrails?.requiredDisclaimers ?? []) {
          const all = turns.map(({ text }) => text.replaceAll('\\', '')).join('\n')
          t.ok(all.includes(disclaimer), 'disclaimers are said verbatim')
        }
      }),
      { numRuns: 100 },
    )
    t.end()
  },
)

t.test('Hostile: playbooks that call and hand over to each other in circles end with a contact', (t) => {
  const ring = (kind: 'call' | 'handoff') =>
    Array.from({ length: 12 }, (_, nth) => {
      const next = `p${(nth + 1) % 12}`
      return playbook(`p${nth}`, { isDefault: nth === 0, flow: { steps: [{ say: 'On.' }, { [kind]: next }] } })
    })
  for (const kind of ['call', 'handoff'] as const) {
    const turned = createTalk(documentWith({ playbooks: ring(kind) })).write('hello')
    t.ok(codes(turned).includes('flow.stuck'), kind)
    t.ok(turned.messages.length > 0 && turned.messages.length <= limits.messages)
    t.same(turned.play.stack, [])
  }
  t.end()
})

t.test('Hostile: a flow that never ends is stopped after the steps of a turn', (t) => {
  const steps = [
    { id: 'a', say: { text: 'Round.', suggestions: ['Stop'] } },
    { branch: [{ if: 'a empty', goto: 'a' }], else: 'a' },
  ]
  const turned = createTalk(
    documentWith({ playbooks: [playbook('main', { isDefault: true, flow: { steps } })] }),
  ).write('go')
  t.ok(codes(turned).includes('flow.stuck'))
  t.ok(turned.messages.length <= limits.messages)
  t.ok(turned.findings.trace.length <= Math.min(limits.traceLines, flowLimits.stepsPerTurn))
  t.end()
})

t.test('Hostile: 500 playbooks and 5,000 Facts with the same words say one thing', (t) => {
  const playbooks = Array.from({ length: 500 }, (_, nth) =>
    playbook(`p${nth}`, { isDefault: nth === 0, name: 'Fee', flow: say(`P${nth}.`) }),
  )
  const facts = Array.from({ length: 5_000 }, (_, nth) => ({
    ...exact,
    id: `f${nth}`,
    question: 'What is the fee?',
    exact: false,
  }))
  const turned = createTalk(documentWith({ playbooks, facts })).write('fee fee fee '.repeat(300))
  t.equal(turned.messages.length, 1)
  t.ok(turned.findings.found.length <= 1)
  t.end()
})

t.test('Hostile: a chip that names a playbook which is missing, or is hidden, is words', (t) => {
  const hidden = playbook('offers', { outreachId: 'spring', flow: plan })
  const talk = createTalk(documentWith({ playbooks: [stage, hidden] }))
  for (const id of ['playbook:gone', 'playbook:__proto__', 'playbook:offers']) {
    const turned = talk.tap('chips', id)
    t.equal(turned.play.playbookId, 'desk', id)
    t.ok(turned.messages.length > 0)
  }
  t.end()
})
