/** Lint: every finding is made where it should be and nowhere else, and a large agent takes no time. */
import t from 'tap'
import {
  type AgentDocument,
  defaultUses,
  emptyDocument,
  findItem,
  flowRefusal,
  type Item,
  type LintCode,
  lint,
  lintCodes,
  lintInSteps,
  withItem,
  withoutItem,
} from '../../../core/agent/index.js'
import { edges } from '../../../core/agent/references.js'
import { hasVoice } from '../../../core/agent/voice.js'
import { sample } from './sample.js'

type Playbook = Item<'playbooks'>
type Flow = NonNullable<Playbook['flow']>

const withPlaybook = (change: Partial<Playbook>): AgentDocument =>
  withItem(sample, 'playbooks', { ...findItem(sample, 'playbooks', 'booking')!, ...change })
const withFlow = (flow: Partial<Flow>): AgentDocument =>
  withPlaybook({ flow: { slots: [], steps: [{ end: { outcome: 'done' } }], ...flow } })
const withSteps = (...steps: Flow['steps'][number][]) => withFlow({ steps })
const withSlot = (slot: object): AgentDocument =>
  withFlow({ slots: [{ name: 'a', type: 'string', ...slot }], steps: [{ collect: 'a' }, { end: { outcome: 'done' } }] })
const withTemplate = (body: string, more: object = {}) =>
  withItem(sample, 'messageTemplates', { id: 'odd', name: 'Odd', body, ...more })
const withFact = (change: object) =>
  withItem(sample, 'facts', { id: 'odd', question: 'Odd?', answer: 'Yes.', ...change })
const withThing = (change: object) => withItem(sample, 'things', { id: 'odd', name: 'Odd', ...change })
const end = { end: { outcome: 'done' } }

/** One document for each code, and where the finding stands. */
const cases: Record<LintCode, [AgentDocument, string]> = {
  'flow.empty': [withFlow({ steps: [] }), 'playbooks[1].flow.steps'],
  'flow.step.kind': [withSteps({ say: 'Hi', call: 'front-desk' }, end), 'playbooks[1].flow.steps[0]'],
  'flow.step.unreachable': [withSteps(end, { say: 'Nobody hears this' }), 'playbooks[1].flow.steps[1]'],
  'flow.loop.endless': [
    withFlow({
      slots: [{ name: 'a', type: 'string' }],
      steps: [{ id: 'x', collect: 'a' }, { branch: [{ if: 'a', goto: 'x' }], else: 'x' }, end],
    }),
    'playbooks[1].flow.steps[0]',
  ],
  'flow.loop.idle': [
    withSteps({ id: 'x', say: 'Hm' }, { branch: [{ if: 'person.email exists', goto: 'x' }] }, end),
    'playbooks[1].flow.steps[0]',
  ],
  'flow.goto.unknown': [
    withSteps({ branch: [{ if: 'person.email exists', goto: 'nowhere' }] }, end),
    'playbooks[1].flow.steps[0].branch[0].goto',
  ],
  'flow.slot.unknown': [withSteps({ collect: ['missing'] }, end), 'playbooks[1].flow.steps[0].collect'],
  'flow.slot.duplicate': [
    withFlow({
      slots: [
        { name: 'a', type: 'string' },
        { name: 'a', type: 'email' },
      ],
      steps: [{ collect: 'a' }, end],
    }),
    'playbooks[1].flow.slots[1].name',
  ],
  'flow.slot.options': [withSlot({ type: 'enum' }), 'playbooks[1].flow.slots[0]'],
  'flow.slot.validate': [withSlot({ validate: '/(a)\\1/' }), 'playbooks[1].flow.slots[0].validate'],
  'flow.slot.predicate': [withSlot({ validate: 'is nice' }), 'playbooks[1].flow.slots[0].validate'],
  'flow.slot.unused': [withFlow({ slots: [{ name: 'a', type: 'string' }] }), 'playbooks[1].flow.slots[0]'],
  'flow.text.slot.unknown': [withSteps({ say: 'Hi {nobody}' }, end), 'playbooks[1].flow.steps[0].say'],
  'flow.condition.unreadable': [
    withSteps({ branch: [{ if: 'they sound angry', goto: 'x' }] }, { id: 'x', ...end }),
    'playbooks[1].flow.steps[0].branch[0].if',
  ],
  'flow.condition.slot.unknown': [
    withSteps({ id: 'x', branch: [{ if: "nobody == 'x'", goto: 'y' }] }, { id: 'y', ...end }),
    'playbooks[1].flow.steps[0].branch[0].if',
  ],
  'flow.bind.unknown': [withSlot({ bind: 'person.emial' }), 'playbooks[1].flow.slots[0].bind'],
  'flow.bind.undeclared': [withSlot({ bind: 'person.customFields.colour' }), 'playbooks[1].flow.slots[0].bind'],
  'flow.template.unknown': [withSteps({ say: 'template:gone' }, end), 'playbooks[1].flow.steps[0].say'],
  'flow.thing.unknown': [withSteps({ say: '[[things: gone]]' }, end), 'playbooks[1].flow.steps[0].say'],
  'flow.collection.unknown': [withSteps({ say: '[[collection: gone]]' }, end), 'playbooks[1].flow.steps[0].say'],
  'flow.image.unknown': [withSteps({ say: 'See image:gone' }, end), 'playbooks[1].flow.steps[0].say'],
  'flow.playbook.unknown': [withSteps({ handoff: 'gone' }), 'playbooks[1].flow.steps[0].handoff'],
  'flow.playbook.owned': [withSteps({ handoff: 'playbook:invite' }), 'playbooks[1].flow.steps[0].handoff'],
  'flow.call.flowless': [withSteps({ call: 'front-desk' }, end), 'playbooks[1].flow.steps[0].call'],
  'flow.call.cycle': [withSteps({ call: 'booking' }, end), 'playbooks[1].flow'],
  'flow.integration.unknown': [withSteps({ action: 'integration:gone' }, end), 'playbooks[1].flow.steps[0].action'],
  'flow.action.unknown': [withSteps({ action: 'teleport.now' }, end), 'playbooks[1].flow.steps[0].action'],
  'flow.action.tool.unknown': [withSteps({ action: 'scheduling.dance' }, end), 'playbooks[1].flow.steps[0].action'],
  'flow.action.capability.missing': [withSteps({ action: 'notify.team' }, end), 'playbooks[1].flow.steps[0].action'],
  'flow.action.unconfigured': [
    { ...withSteps({ action: 'scheduling.book' }, end), scheduling: undefined },
    'playbooks[1].flow.steps[0].action',
  ],
  'flow.body.stale': [withPlaybook({ body: 'Edited since.' }), 'playbooks[1].flow'],
  'flow.chip.keyword': [
    withSteps({ say: { text: 'Go on?', suggestions: ['Yes', 'Cancel!'] } }, end),
    'playbooks[1].flow.steps[0].say',
  ],
  'flow.chip.long': [
    withSteps({ say: { text: 'Go on?', suggestions: ['x'.repeat(26)] } }, end),
    'playbooks[1].flow.steps[0].say',
  ],
  'playbook.default.missing': [
    withItem(sample, 'playbooks', { ...sample.playbooks[0]!, isDefault: false }),
    'playbooks',
  ],
  'playbook.default.several': [withPlaybook({ isDefault: true }), 'playbooks'],
  'playbook.default.owned': [withPlaybook({ isDefault: true, outreachId: 'come-back' }), 'playbooks[1]'],
  'playbook.outreach.unknown': [withPlaybook({ outreachId: 'gone' }), 'playbooks[1].outreachId'],
  'playbook.uses.unknown': [
    withPlaybook({ uses: ['magic', 'scheduling', 'people', 'integration:crm'] }),
    'playbooks[1].uses[0]',
  ],
  'playbook.uses.missing': [withPlaybook({ uses: undefined as never, flow: undefined }), 'playbooks[1]'],
  'playbook.template.unknown': [withPlaybook({ messageTemplateRefs: ['gone'] }), 'playbooks[1].messageTemplateRefs[0]'],
  'playbook.thing.unknown': [withPlaybook({ whenToUse: '[[things: haircut, gone]]' }), 'playbooks[1].whenToUse'],
  'playbook.collection.unknown': [
    withPlaybook({ examples: [[{ role: 'agent', content: '[[collection: gone]]' }]] }),
    'playbooks[1].examples[0][0].content',
  ],
  'playbook.image.unknown': [withPlaybook({ whenToUse: 'image:gone' }), 'playbooks[1].whenToUse'],
  'playbook.tool.unknown': [withPlaybook({ toolRefs: ['@svc/tool.gone'] }), 'playbooks[1].toolRefs[0]'],
  'playbook.chip.keyword': [withPlaybook({ body: '[[chips: Go on | Stop = halt]]' }), 'playbooks[1].body'],
  'playbook.whenToUse.missing': [withPlaybook({ whenToUse: ' ' }), 'playbooks[1].whenToUse'],
  'template.template.unknown': [withTemplate('[[template: gone]]'), 'messageTemplates[3].body'],
  'template.thing.unknown': [withTemplate('[[things: gone]]'), 'messageTemplates[3].body'],
  'template.collection.unknown': [withTemplate('[[collection: gone]]'), 'messageTemplates[3].body'],
  'template.image.unknown': [withTemplate('image:gone'), 'messageTemplates[3].body'],
  'template.field.unknown': [withTemplate('Hi. {person.customFields.gone}'), 'messageTemplates[3].body'],
  'template.slot.unknown': [withTemplate('Hi. {person.frstName}'), 'messageTemplates[3].body'],
  'template.cycle': [withTemplate('Again [[template: odd]]'), 'messageTemplates[3].body'],
  'template.empty.person': [
    withTemplate('Hi {person.firstName}', { defaultOnMissingSlot: 'block-send' }),
    'messageTemplates[3].body',
  ],
  'template.chip.keyword': [withTemplate('Hi [[chips: End]]'), 'messageTemplates[3].body'],
  'fact.template.unknown': [withFact({ answer: '[[template: gone]]' }), 'facts[1].answer'],
  'fact.thing.unknown': [withFact({ answer: '[[things: gone]]' }), 'facts[1].answer'],
  'fact.collection.unknown': [withFact({ answer: '[[collection: gone]]' }), 'facts[1].answer'],
  'fact.image.unknown': [withFact({ answer: 'image:gone' }), 'facts[1].answer'],
  'fact.scope.unknown': [withFact({ scope: { playbooks: ['gone'] } }), 'facts[1].scope.playbooks[0]'],
  'fact.duplicate': [
    withFact({ question: ' where can I  PARK?', scope: { playbooks: ['booking'] } }),
    'facts[1].question',
  ],
  'fact.chip.keyword': [withFact({ answer: '[[chips: Unsubscribe]]' }), 'facts[1].answer'],
  'thing.collection.unknown': [withThing({ collections: ['gone'] }), 'things[1].collections[0]'],
  'thing.media.unknown': [withThing({ media: 'gone' }), 'things[1].media'],
  'thing.action.keyword': [withThing({ actions: [{ label: 'STOP', kind: 'reply' }] }), 'things[1].actions[0].label'],
  'collection.empty': [withItem(sample, 'collections', { id: 'odd', name: 'Odd' }), 'collections[1]'],
  'collection.action.unknown': [
    withItem(sample, 'collections', { id: 'cuts', name: 'Cuts', presentation: { actions: ['Fly'] } }),
    'collections[0].presentation.actions[0]',
  ],
  'rule.pattern.unreadable': [
    withItem(sample, 'rules', { id: 'odd', text: 'Odd', check: { kind: 'pattern', patterns: ['/(?=a)/'] } }),
    'rules[1].check.patterns[0]',
  ],
  'goal.unknown': [{ ...sample, defaultGoal: { goalId: 'gone' } }, 'defaultGoal.goalId'],
  'goal.field.unknown': [
    withPlaybook({ goal: { goalId: 'booked', unless: { field: 'person.customFields.gone', op: 'exists' } } }),
    'playbooks[1].goal.unless.field',
  ],
  'goal.unreached': [
    withItem(sample, 'goals', { id: 'odd', name: 'Odd', definition: { kind: 'event', event: 'link.tapped' } }),
    'goals[2].definition.event',
  ],
  'objective.unread': [sample, 'objectives[0]'],
  'outreach.template.unknown': [
    withItem(sample, 'outreach', { ...sample.outreach[0]!, openerTemplateId: 'gone' }),
    'outreach[0].openerTemplateId',
  ],
  'outreach.playbook.unknown': [
    withItem(sample, 'outreach', { ...sample.outreach[0]!, playbookId: 'gone' }),
    'outreach[0].playbookId',
  ],
  'outreach.opener.blocked': [
    withItem(sample, 'messageTemplates', { id: 'opener', name: 'O', body: 'Hi {person.company|block-send}' }),
    'outreach[0].inputs',
  ],
  'scheduling.playbook.unknown': [
    { ...sample, scheduling: { ...sample.scheduling!, reminders: { playbookId: 'gone' } } },
    'scheduling.reminders.playbookId',
  ],
  'scheduling.window.empty': [
    {
      ...sample,
      scheduling: { representatives: [], availableHours: [{ dayOfWeek: 1, startTime: '17:00', endTime: '09:00' }] },
    },
    'scheduling.availableHours[0]',
  ],
  'scheduling.hours.missing': [{ ...sample, scheduling: { representatives: [] } }, 'scheduling.availableHours'],
  'campaign.segment.unknown': [
    { ...sample, draftCampaigns: [{ id: 'c', name: 'C', segmentId: 'gone' }] },
    'draftCampaigns[0].segmentId',
  ],
  'tool.unknown': [
    withItem(sample, 'toolBindings', { toolId: '@svc/tool.gone', config: {} }),
    'toolBindings[1].toolId',
  ],
  'identity.contact.missing': [{ ...sample, identity: {} }, 'identity'],
  'agent.voice.missing': [emptyDocument, 'playbooks'],
}

const listOf = { error: 'errors', warning: 'warnings', advice: 'advice' } as const

t.test('A valid agent has no findings except standing advice', async (t) => {
  t.same(lint({ ...sample, objectives: [] }), { errors: [], warnings: [], advice: [] })
  t.same(lint(emptyDocument), { errors: [], warnings: [], advice: [] })
})

t.test('Every finding has its code, path, message and fix, in the list of its level', async (t) => {
  for (const [code, [document, path]] of Object.entries(cases) as [LintCode, [AgentDocument, string]][]) {
    const { level, fix } = lintCodes[code]
    const match = lint(document, { isManaged: true })[listOf[level]].find((finding) => finding.code === code)
    t.match(match, { path, fix }, `${code} at ${path}`)
    t.match(match?.message ?? '', /^\S.*\.$/s, 'in a sentence')
  }
})

t.test(
  'An agent without a playbook and without a fact to answer with is warned about, unless it has a webhook',
  async (t) => {
    const voiceWarnings = (document: AgentDocument, isManaged: boolean) =>
      lint(document, { isManaged }).warnings.filter(({ code }) => code === 'agent.voice.missing')
    const fact = { ...sample.facts[0]!, enabled: true, confirmed: true }
    const [playbook] = sample.playbooks
    const silent: Partial<AgentDocument>[] = [
      {},
      { facts: [{ ...fact, enabled: false }] },
      { facts: [{ ...fact, confirmed: false }] },
      { messageTemplates: sample.messageTemplates },
      { playbooks: [{ ...playbook!, body: ' ', flow: undefined, outreachId: 'spring' }] },
    ]
    for (const sections of silent) {
      const document = { ...emptyDocument, ...sections }
      t.match(voiceWarnings(document, true), [
        { path: 'playbooks', message: /no written playbook and no enabled fact\.$/ },
      ])
      t.same(voiceWarnings(document, false), [], 'the webhook answers')
      t.notOk(hasVoice(document))
    }
    for (const sections of [
      { playbooks: [playbook!] },
      { facts: [fact] },
      { facts: [{ ...fact, confirmed: false }, fact] },
    ]) {
      const document = { ...emptyDocument, ...sections }
      t.same(voiceWarnings(document, true), [])
      t.ok(hasVoice(document))
    }
  },
)

t.test('Every row of the table of references has a code that lint knows', async (t) => {
  for (const { code, from, field } of edges) t.ok(Object.hasOwn(lintCodes, code), `${from} ${field}: ${code}`)
})

t.test('Flow errors refuse the playbook with 422 agent.playbook.flow_invalid, warnings never do', async (t) => {
  for (const [code, [document, path]] of Object.entries(cases) as [LintCode, [AgentDocument, string]][]) {
    const isBlocking = code.startsWith('flow.') && lintCodes[code].level === 'error'
    const refusal = flowRefusal(document, 'booking')
    if (isBlocking)
      t.match(
        refusal?.errors?.find((error) => error.code === code),
        { field: path },
        `${code} refuses`,
      )
    else t.equal(refusal, undefined, `${code} does not refuse`)
  }
})

t.test('A flow is refused while something that it references is missing, and accepted when it is back', async (t) => {
  const flow: Flow = {
    steps: [
      { say: 'template:odd' },
      { action: 'people.save' },
      { call: 'front-desk' },
      { handoff: 'playbook:front-desk' },
    ],
  }
  const named = withItem(withTemplate('Hello.'), 'playbooks', {
    ...findItem(sample, 'playbooks', 'booking')!,
    uses: ['people'],
    flow,
  })
  const without: Record<string, AgentDocument> = {
    'flow.template.unknown': withoutItem(named, 'messageTemplates', 'odd'),
    'flow.playbook.unknown': withoutItem(named, 'playbooks', 'front-desk'),
    'flow.action.capability.missing': withItem(named, 'playbooks', {
      ...findItem(named, 'playbooks', 'booking')!,
      uses: [],
    }),
  }
  for (const [code, document] of Object.entries(without)) {
    t.equal(flowRefusal(named, 'booking'), undefined)
    const refusal = flowRefusal(document, 'booking')
    t.ok(refusal?.errors?.length && refusal.errors.every((error) => error.code === code), code)
    // Judged from the beginning, a copy of the flow is refused for the same.
    const copied = { ...findItem(document, 'playbooks', 'booking')!, flow: structuredClone(flow) }
    t.strictSame(flowRefusal(withItem(document, 'playbooks', copied), 'booking'), refusal)
  }
})

t.test('An error in another playbook does not refuse this one', async (t) => {
  t.equal(flowRefusal(withSteps({ say: 'template:gone' }, end), 'front-desk'), undefined)
})

t.test('A flow may always search knowledge, whatever the playbook uses', async (t) => {
  const document = withPlaybook({
    uses: [],
    flow: { steps: [{ action: 'knowledge.search', with: { words: 'x' } }, end] },
  })
  t.same(lint(document).errors, [])
})

t.test(
  'Conditions and texts read slots, people, the agent, results of the flow’s own actions, and the error',
  async (t) => {
    const document = withFlow({
      slots: [{ name: 'plan', type: 'string' }],
      steps: [
        { collect: 'plan' },
        { action: 'scheduling.book', on_error: 'branch' },
        { action: 'integration:crm' },
        { branch: [{ if: 'error exists or slots.plan == gold and not last.integration:crm.ok', goto: 'x' }] },
        { say: '{slots.plan} {last.scheduling.book.start} {last.integration.crm.id} {agent.name} {error}' },
        { id: 'x', ...end },
      ],
    })
    const codes = [...lint(document).errors, ...lint(document).warnings].map(({ code }) => code)
    t.same(
      codes,
      ['flow.body.stale'].filter((code) => codes.includes(code as never)),
    )
    const unknown = withFlow({
      slots: [{ name: 'plan', type: 'string' }],
      steps: [
        { collect: 'plan' },
        { branch: [{ if: 'last.people.save.ok or slots.other exists or person.shoe == 4', goto: 'x' }] },
        { id: 'x', ...end },
      ],
    })
    t.same(
      lint(unknown).warnings.flatMap(({ code, message }) => (code === 'flow.condition.slot.unknown' ? [message] : [])),
      ['last.people.save.ok', 'slots.other', 'person.shoe'].map((name) => `${name} is no slot of this flow.`),
    )
  },
)

t.test('Prompts and suggestions read the same names as other texts', async (t) => {
  const document = withFlow({
    slots: [{ name: 'a', type: 'string', prompt: 'Now {b}, {a}?' }],
    steps: [{ collect: 'a' }, { say: { text: 'Ok', suggestions: ['For {a}', 'For {c}'] } }, end],
  })
  const paths = lint(document).warnings.flatMap(({ code, path }) => (code === 'flow.text.slot.unknown' ? [path] : []))
  t.same(paths, ['playbooks[1].flow.slots[0].prompt', 'playbooks[1].flow.steps[1].say'])
})

t.test('A tool of the catalog is covered by the tools that the playbook refers to', async (t) => {
  const steps = [{ action: 'tool:@svc/tool.order-lookup' }, end]
  const findings = (change: Partial<Playbook>) =>
    lint(withPlaybook({ flow: { steps }, ...change })).errors.map(({ code }) => code)
  t.same(findings({ uses: [] }), ['flow.action.capability.missing'])
  t.same(findings({ uses: [], toolRefs: ['@svc/tool.order-lookup'] }), [])
  t.same(findings({ flow: { steps: [{ action: 'tool:@svc/tool.none' }, end] } }), ['flow.action.unknown'])
})

/** By the processor's clock, since others may be busy on the machine. */
function lintedMs(document: AgentDocument): number {
  const before = process.cpuUsage()
  lint(document)
  return process.cpuUsage(before).user / 1_000
}

t.test('Lint time grows in proportion to the agent, for any texts', async (t) => {
  const chain = (length: number): AgentDocument => ({
    ...emptyDocument,
    playbooks: Array.from({ length }, (_, nth) => ({
      id: `p${nth}`,
      name: 'P',
      body: '[[template: '.repeat(400),
      uses: defaultUses(emptyDocument),
      isDefault: nth === 0,
      flow: { steps: [{ call: `p${(nth + 1) % length}` }, end] },
    })),
    messageTemplates: Array.from({ length }, (_, nth) => ({
      id: `t${nth}`,
      name: 'T',
      body: `{${'a'.repeat(2_000)} [[template: t${(nth + 1) % length}]]`,
    })),
  })
  const [short, long] = [chain(100), chain(400)]
  let [small, big] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const isLinear = () => big < 12 * Math.max(small, 2)
  // Least times, of as many tries as it takes the machine to leave it alone; what is not linear never gets there.
  for (let tries = 0; tries < 20 && (tries < 3 || !isLinear()); tries++) {
    small = Math.min(small, lintedMs(short))
    big = Math.min(big, lintedMs(long))
  }
  t.ok(isLinear(), `${small} ms and ${big} ms`)
})

t.test('Lint checks a large agent in many steps, with the same findings', async (t) => {
  const length = 60
  const document: AgentDocument = {
    ...emptyDocument,
    playbooks: Array.from({ length }, (_, nth) => ({
      id: `p${nth}`,
      name: 'P',
      body: '[[template: gone]]'.repeat(2_500),
      uses: defaultUses(emptyDocument),
      isDefault: nth === 0,
    })),
  }
  let steps = 0
  for (const _step of lintInSteps(document)) steps++
  t.ok(steps >= length, `${steps} steps`)
  const dangling = lint(document).warnings.filter(({ code }) => code === 'playbook.template.unknown')
  t.equal(dangling.length, length, 'a repeated finding in one text is reported once')
})
