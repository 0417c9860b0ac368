/** Referential integrity: what a write may not take away, and what it costs to know. */
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  admit,
  buildIndex,
  buildIndexInSteps,
  emptyDocument,
  findBrokenReferences,
  type ListSection,
  removePlaybook,
  removeTemplate,
  updateIndex,
  withItem,
  withoutItem,
} from '../../../core/agent/index.js'
import { findBrokenReferencesInSteps } from '../../../core/agent/integrity.js'
import { edges } from '../../../core/agent/references.js'
import type { Steps } from '../../../core/steps.js'
import { errorsOf, largeAgent, must, sample } from './sample.js'

const fieldsOf = (after: AgentDocument, before = sample) =>
  findBrokenReferences(before, after).map(({ field, code }) => `${field} ${code}`)

t.test('Every reference to a removed item is reported, with its document path and lint code', async (t) => {
  const removals: [ListSection, string, string[]][] = [
    ['goals', 'booked', ['defaultGoal.goalId goal.unknown', 'playbooks[1].goal.goalId goal.unknown']],
    ['goals', 'happy', ['defaultGoal.then goal.unknown', 'outreach[0].goal.goalId goal.unknown']],
    [
      'messageTemplates',
      'welcome',
      [
        'playbooks[1].flow.steps[0].say flow.template.unknown',
        'playbooks[1].messageTemplateRefs[0] playbook.template.unknown',
        'messageTemplates[1].body template.template.unknown',
      ],
    ],
    ['messageTemplates', 'opener', ['outreach[0].openerTemplateId outreach.template.unknown']],
    ['messageTemplates', 'nudge', ['outreach[0].followUp.templateId outreach.template.unknown']],
    ['playbooks', 'front-desk', ['playbooks[1].flow.steps[6].handoff flow.playbook.unknown']],
    [
      'playbooks',
      'booking',
      ['facts[0].scope.playbooks[0] fact.scope.unknown', 'scheduling.reminders.playbookId scheduling.playbook.unknown'],
    ],
    ['playbooks', 'invite', ['outreach[0].playbookId outreach.playbook.unknown']],
    [
      'integrations',
      'crm',
      [
        'playbooks[1].flow.steps[4].action flow.integration.unknown',
        'playbooks[1].uses[2] playbook.uses.unknown',
        'playbooks[0].uses[3] playbook.uses.unknown',
        'playbooks[2].uses[3] playbook.uses.unknown',
      ],
    ],
    [
      'peopleFields',
      'plan',
      [
        'defaultGoal.unless.field goal.field.unknown',
        'playbooks[1].flow.slots[1].bind flow.bind.undeclared',
        'messageTemplates[1].body template.field.unknown',
      ],
    ],
    [
      'collections',
      'cuts',
      ['things[0].collections[0] thing.collection.unknown', 'messageTemplates[0].body template.collection.unknown'],
    ],
    ['things', 'haircut', ['playbooks[0].body playbook.thing.unknown']],
    ['media', 'logo', ['things[0].media thing.media.unknown', 'playbooks[0].body playbook.image.unknown']],
    ['segments', 'gold', ['draftCampaigns[0].segmentId campaign.segment.unknown']],
  ]
  for (const [section, id, expected] of removals) {
    t.same(fieldsOf(withoutItem(sample, section, id)).sort(), expected.sort(), `${section} ${id}`)
  }
})

t.test('The path of a reference is that of the stored document, not of the refused one', async (t) => {
  for (const section of ['messageTemplates', 'playbooks'] as const) {
    const [first, ...others] = sample[section]
    const names = section === 'playbooks' ? { messageTemplateRefs: [] } : {}
    const user = { ...first, ...names, id: 'user', name: 'User', body: '[[template: gone]]' }
    const deletedTemplate = { id: 'gone', name: 'Gone', body: 'x' }
    const messageTemplates = [
      deletedTemplate,
      ...(section === 'playbooks' ? sample.messageTemplates : [first, ...others, user]),
    ]
    const draft = {
      ...sample,
      messageTemplates,
      ...(section === 'playbooks' && { playbooks: [first, ...others, user] }),
    }
    const before = draft as AgentDocument
    const index = before[section].findIndex(({ id }) => id === 'user')
    const paths = findBrokenReferences(before, withoutItem(before, 'messageTemplates', 'gone')).map(
      ({ field }) => field,
    )
    t.same(paths, [`${section}[${index}].body`])
  }
  const added = withItem(withoutItem(sample, 'messageTemplates', 'welcome'), 'messageTemplates', {
    id: 'new',
    name: 'New',
    body: '[[template: welcome]]',
  })
  const index = added.messageTemplates.length - 1
  t.ok(
    fieldsOf(added).some((each) => each.startsWith(`messageTemplates[${index}].body`)),
    'an item that the write itself adds has the place it was sent at',
  )
})

t.test('The table has a row for every covered reference', async (t) => {
  const rows = new Set(edges.map(({ from, target: names }) => `${from} → ${names}`))
  for (const row of [
    'outreach → messageTemplates',
    'outreach → playbooks',
    'outreach → goals',
    'playbooks → messageTemplates',
    'playbooks → playbooks',
    'playbooks → integrations',
    'playbooks → peopleFields',
    'playbooks → goals',
    'playbooks → things',
    'playbooks → collections',
    'playbooks → media',
    'messageTemplates → messageTemplates',
    'messageTemplates → things',
    'messageTemplates → collections',
    'messageTemplates → peopleFields',
    'messageTemplates → media',
    'facts → messageTemplates',
    'facts → playbooks',
    'facts → media',
    'things → collections',
    'things → media',
    'defaultGoal → goals',
    'draftCampaigns → segments',
    'scheduling → playbooks',
  ])
    t.ok(rows.has(row), row)
})

t.test('A conflict is 409 agent.integrity_conflict, and its detail names the referrer', async (t) => {
  const refusal = admit(sample, removeTemplate(sample, 'opener'))
  t.match(refusal, {
    refused: 'agent.integrity_conflict',
    detail: 'The outreach come-back names the message template opener.',
    errors: [{ field: 'outreach[0].openerTemplateId', code: 'outreach.template.unknown' }],
  })
  t.equal(errorsOf(admit(sample, removePlaybook(sample, 'invite')))?.code, 'agent.integrity_conflict')
})

t.test('References that were already broken do not count', async (t) => {
  const broken = withItem(sample, 'messageTemplates', { id: 'odd', name: 'Odd', body: '[[template: never-there]]' })
  t.same(fieldsOf(withoutItem(broken, 'messageTemplates', 'nudge'), broken), [
    'outreach[0].followUp.templateId outreach.template.unknown',
  ])
  t.same(fieldsOf(withItem(broken, 'goals', { ...sample.goals[0]!, name: 'Other' }), broken), [])
})

t.test('A referrer that is removed, or drops its reference, in the same write does not count', async (t) => {
  const withoutOutreach = withoutItem(withoutItem(sample, 'outreach', 'come-back'), 'playbooks', 'invite')
  t.same(fieldsOf(withoutOutreach), [])
  const renamed = withItem(withoutItem(sample, 'messageTemplates', 'nudge'), 'outreach', {
    ...sample.outreach[0]!,
    followUp: undefined,
  })
  t.same(fieldsOf(renamed), [])
})

t.test('A referrer that adds a reference to an item removed by the same write counts', async (t) => {
  const dropped = withoutItem(sample, 'things', 'haircut')
  const after = withItem(dropped, 'messageTemplates', { id: 'nudge', name: 'Nudge', body: '[[things: haircut]]' })
  t.ok(fieldsOf(after).includes('messageTemplates[2].body template.thing.unknown'))
})

t.test('A literal \\[[ is no reference', async (t) => {
  const literal = withItem(sample, 'messageTemplates', { id: 'nudge', name: 'Nudge', body: '\\[[things: haircut]]' })
  t.notOk(
    fieldsOf(withoutItem(literal, 'things', 'haircut'), literal).some((each) => each.startsWith('messageTemplates')),
  )
})

type Change = (document: AgentDocument) => AgentDocument
const changes: Change[] = [
  ...(
    [
      'goals',
      'playbooks',
      'messageTemplates',
      'things',
      'collections',
      'facts',
      'media',
      'integrations',
      'outreach',
      'peopleFields',
      'segments',
    ] as const
  ).flatMap((section) =>
    sample[section].map(
      (item): Change =>
        (document) =>
          withoutItem(document, section, 'id' in item ? item.id : item.key),
    ),
  ),
  (document) =>
    withItem(document, 'messageTemplates', {
      id: 'nudge',
      name: 'N',
      body: '[[template: opener]] {person.customFields.plan}',
    }),
  (document) => withItem(document, 'facts', { id: 'new', question: 'Q?', answer: '[[collection: cuts]]' }),
  (document) => ({ ...document, defaultGoal: undefined }),
  (document) => ({ ...document, facts: [...document.facts].reverse() }),
  (document) => ({ ...document, playbooks: [...sample.playbooks].reverse() }),
]

t.test('An incrementally updated index finds what a new one finds', async () => {
  const walk = fc.array(fc.constantFrom(...changes), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(walk, (steps) => {
      let document = sample
      const index = buildIndex(document)
      for (const step of steps) {
        const after = step(document)
        const quick = findBrokenReferences(document, after, index)
          .map(({ field }) => field)
          .sort()
        if (
          JSON.stringify(quick) !==
          JSON.stringify(
            findBrokenReferences(document, after)
              .map(({ field }) => field)
              .sort(),
          )
        )
          return false
        updateIndex(index, document, after)
        document = after
      }
      const users = (each: ReturnType<typeof buildIndex>) =>
        [
          ...each.items.keys(),
          ...[...each.referencedBy].flatMap(([target, by]) => [...by].map((user) => `${target}<${user}`)),
        ].sort()
      return JSON.stringify(users(index)) === JSON.stringify(users(buildIndex(document)))
    }),
    { numRuns: 150 },
  )
})

t.test('The cost of a check depends on the references it touches, not on the size of the agent', async (t) => {
  const large = largeAgent()
  let looks = 0
  /** Reading any text of the agent is seen. */
  const watched: AgentDocument = {
    ...large,
    facts: large.facts.map((fact) => ({
      ...fact,
      get answer() {
        looks++
        return fact.answer
      },
    })),
  }
  const index = buildIndex(watched)
  looks = 0
  const after = must(removePlaybook(watched, 'p7'))
  const broken = findBrokenReferences(watched, after, index)
  t.equal(broken.filter(({ from }) => from.section === 'facts').length, 10, 'the facts of that playbook')
  t.equal(broken.filter(({ from }) => from.section === 'playbooks').length, 1, 'the playbook that hands over to it')
  t.ok(looks <= 100, `${looks} texts were read, of 2,000`)
})

const textChars = 50_000
const textsPerStep = 2

/** Playbooks whose texts are as long as they may be, and that name templates all along. */
function longAgent(playbooks: number, markerOf: (nth: number) => string): AgentDocument {
  const body = (nth: number) => markerOf(nth).repeat(Math.floor(textChars / markerOf(nth).length))
  return {
    ...emptyDocument,
    messageTemplates: Array.from({ length: playbooks }, (_, nth) => ({ id: `t${nth}`, name: 't', body: 'Hi' })),
    playbooks: Array.from({ length: playbooks }, (_, nth) => {
      const isDefault = nth === 0
      return { id: `p${nth}`, name: 'p', body: body(nth), uses: [], isDefault }
    }),
  }
}

/** The answer, and how many texts were looked at in the step that looked at most. */
function runSteps<R>(steps: Steps<R>, looks: () => number): { answer: R; most: number } {
  let most = 0
  for (let before = looks(); ; before = looks()) {
    const { done, value } = steps.next()
    most = Math.max(most, looks() - before)
    if (done) return { answer: value, most }
  }
}

t.test('No step of a check scans more than a few long texts, however many the agent has', async (t) => {
  const agent = longAgent(40, (nth) => `[[template:t${nth}]]`)
  let looks = 0
  const watched: AgentDocument = {
    ...agent,
    playbooks: agent.playbooks.map((playbook) => ({
      ...playbook,
      get body() {
        looks++
        return playbook.body
      },
    })),
  }
  const all = { ...watched, messageTemplates: [] }
  const made = runSteps(buildIndexInSteps(watched), () => looks)
  t.ok(made.most <= textsPerStep, `${made.most} texts in one step of an index`)
  const checked = runSteps(findBrokenReferencesInSteps(watched, all), () => looks)
  t.equal(checked.answer.length, 40)
  t.ok(checked.most <= textsPerStep, `${checked.most} texts in one step of a check`)
})

t.test('Examples of one playbook are scanned in as many steps as those of many playbooks', async (t) => {
  const lines = Array.from({ length: 40 }, () => ({ role: 'user' as const, content: '[[template:t0]]'.repeat(250) }))
  const [playbook] = longAgent(1, () => '-').playbooks
  const examples = Array.from({ length: 50 }, () => lines)
  let steps = 0
  for (const _step of buildIndexInSteps({ ...emptyDocument, playbooks: [{ ...playbook!, examples }] })) steps++
  t.ok(steps >= 50, `${steps} steps`)
})

t.test('A text that repeats one reference counts it once', async (t) => {
  const agent = longAgent(1, () => '[[template:t0]] image:logo ')
  const broken = findBrokenReferences(agent, { ...agent, messageTemplates: [] })
  t.strictSame(
    broken.map(({ field, to }) => [field, to.id]),
    [['playbooks[0].body', 't0']],
  )
})
