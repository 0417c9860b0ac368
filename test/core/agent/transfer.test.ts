/** Export and import: round trips, sections present only, aliases of before, and never half of it. */
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  admit,
  emptyDocument,
  exportDocument,
  importDocument,
  withItem,
} from '../../../core/agent/index.js'
import { isRefusal } from '../../../core/errors.js'
import { isPersonField } from '../../../core/people/columns.js'
import { errorsOf, must, readers, sample, sampleExport } from './sample.js'

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as ReturnType<typeof exportDocument>

t.test('An export imported into an empty agent gives the identical export', async (t) => {
  const first = JSON.stringify(exportDocument(sample))
  const copy = must(importDocument(emptyDocument, JSON.parse(first), readers))
  t.equal(JSON.stringify(exportDocument(copy)), first)
})

t.test('An agent whose only playbooks belong to its outreaches can be exported and imported', async (t) => {
  const owned = sample.playbooks.filter(({ outreachId }) => outreachId !== undefined)
  const agent = { ...sample, playbooks: owned, facts: [], scheduling: emptyDocument.scheduling }
  const copy = must(importDocument(emptyDocument, json(exportDocument(agent)), readers))
  t.same(json(exportDocument(copy)), json(exportDocument(agent)))
  t.ok(owned.length > 0)
})

t.test('Importing an agent’s own export changes nothing', async (t) => {
  t.same(must(importDocument(sample, json(exportDocument(sample)), readers)), sample)
})

const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const words = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .!?{}|:]{0,40}$/)
const lists = <T extends object>(item: fc.Arbitrary<T>, by: (item: T) => string) =>
  fc.uniqueArray(item, { selector: by, maxLength: 5 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Arbitrary export-shaped documents that are valid: references among their parts are left to the sample. */
const exports = fc
  .record({
    personality: maybe(fc.record({ text: words, description: words }, { requiredKeys: ['text'] })),
    goals: lists(
      fc.record({
        id,
        name: words,
        definition: fc.oneof(
          fc.constant({ kind: 'event', event: 'person.replied' }),
          fc.record({ kind: fc.constant('judged'), criterion: words }),
        ),
      }),
      (goal) => goal.id,
    ),
    rules: lists(
      fc.record(
        {
          id,
          text: words,
          check: fc.constant({ kind: 'pattern', patterns: ['free', '/a+b/i'] }),
          enabled: fc.boolean(),
        },
        { requiredKeys: ['id', 'text', 'check'] },
      ),
      (rule) => rule.id,
    ),
    standingInstructions: fc.array(words, { maxLength: 5 }),
    guardrails: maybe(
      fc.record(
        { topicsToAvoid: fc.array(words, { maxLength: 3 }), requiredDisclaimers: fc.array(words, { maxLength: 3 }) },
        { requiredKeys: [] },
      ),
    ),
    messageTemplates: lists(
      fc.record({ id, name: words, body: words, description: words }, { requiredKeys: ['id', 'name', 'body'] }),
      (each) => each.id,
    ),
    playbooks: lists(
      fc.record(
        {
          id,
          name: words,
          body: words,
          whenToUse: words,
          uses: fc.subarray(['scheduling', 'people', 'notify', 'knowledge']),
        },
        { requiredKeys: ['id', 'name'] },
      ),
      (each) => each.id,
    ).map((all) => all.map((each, nth) => ({ ...each, isDefault: nth === 0 }))),
    capabilities: fc.record({
      knowledge: fc.record({
        collections: lists(
          fc.record({ id, name: words, purpose: words }, { requiredKeys: ['id', 'name'] }),
          (each) => each.id,
        ),
        things: lists(
          fc.record(
            {
              id,
              name: words,
              description: words,
              metadata: fc.dictionary(id, words, { maxKeys: 3 }),
              location: fc.record({
                latitude: fc.integer({ min: -90, max: 90 }),
                longitude: fc.integer({ min: -180, max: 180 }),
                label: words,
              }),
            },
            { requiredKeys: ['id', 'name'] },
          ),
          (each) => each.id,
        ),
        facts: lists(
          fc.record(
            {
              id,
              question: words,
              answer: words,
              verbatim: fc.boolean(),
              alternates: fc.array(words, { maxLength: 2 }),
            },
            { requiredKeys: ['id', 'question', 'answer'] },
          ),
          (each) => each.id,
        ),
      }),
      scheduling: maybe(
        fc.record(
          { timezone: fc.constantFrom('UTC', 'Asia/Tokyo'), blackoutDates: fc.constant(['2028-02-29']) },
          { requiredKeys: [] },
        ),
      ),
      people: fc.record({
        fields: lists(
          fc.record({
            key: id.filter((key) => !isPersonField(key)),
            label: words,
            type: fc.constantFrom('string', 'number'),
          }),
          (each) => each.key,
        ),
        segments: fc.constant([]),
      }),
    }),
    integrations: fc.record({
      custom: lists(
        fc.record({ id, description: words, endpoint: fc.constant({ url: 'https://example.com/x' }) }),
        (each) => each.id,
      ),
    }),
  })
  .map((each) => json(each))

t.test('The round trip holds for arbitrary agents', async () => {
  fc.assert(
    fc.property(exports, (given) => {
      const made = importDocument(emptyDocument, given, readers)
      if (isRefusal(made)) throw new Error(JSON.stringify(made))
      const first = JSON.stringify(exportDocument(made))
      const imported = must(importDocument(emptyDocument, JSON.parse(first), readers))
      return (
        JSON.stringify(exportDocument(imported)) === first &&
        JSON.stringify(exportDocument(must(importDocument(imported, JSON.parse(first), readers)))) === first
      )
    }),
    { numRuns: 150 },
  )
})

t.test('Only the sections that are present are changed', async (t) => {
  const after = must(importDocument(sample, { standingInstructions: ['Be brief.'] }, readers))
  t.same(after, { ...sample, standingInstructions: ['Be brief.'] })
  t.equal(after.playbooks, sample.playbooks)
  t.equal(must(importDocument(sample, {}, readers)), sample)
  const facts = must(importDocument(sample, { capabilities: { knowledge: { facts: [] } } }, readers))
  t.same([facts.facts, facts.things], [[], sample.things])
})

t.test('Legacy keys products and faqs are read as things and facts', async (t) => {
  for (const under of [(part: object) => part, (knowledge: object) => ({ capabilities: { knowledge } })]) {
    const after = must(
      importDocument(
        emptyDocument,
        under({ products: [{ id: 'p', name: 'P' }], faqs: [{ question: 'Where?', answer: 'Here.', verbatim: true }] }),
        readers,
      ),
    )
    t.same(after.things, [{ id: 'p', name: 'P' }])
    t.match(after.facts, [{ id: 'where', question: 'Where?', exact: true }])
  }
  const wrong = importDocument(emptyDocument, { products: [{ id: 'p' }] }, readers)
  t.same(errorsOf(wrong), { code: 'request.invalid', fields: ['products[0].name'] }, 'named as the caller wrote it')
  const both = importDocument(emptyDocument, { products: [], capabilities: { knowledge: { things: [] } } }, readers)
  t.same(errorsOf(both)?.fields, ['products'])
})

t.test('Each section is validated like its resource, and the fault has the path of the document', async (t) => {
  const wrong: [object, string, string[]][] = [
    [
      {
        playbooks: [
          { name: 'A', isDefault: true },
          { name: 'B', isDefault: true },
        ],
      },
      'request.invalid',
      ['playbooks'],
    ],
    [{ playbooks: [{ name: 'A' }] }, 'request.invalid', ['playbooks']],
    [
      {
        playbooks: [
          { id: 'a', name: 'A', isDefault: true },
          { id: 'a', name: 'B' },
        ],
      },
      'request.invalid',
      ['playbooks[1].id'],
    ],
    [{ playbooks: [{ name: 'A', isDefault: true, procedures: [] }] }, 'request.invalid', ['playbooks[0].procedures']],
    [
      { playbooks: [{ name: 'A', isDefault: true, uses: ['magic'] }] },
      'agent.playbook.uses_unknown',
      ['playbooks[0].uses[0]'],
    ],
    [
      { playbooks: [{ name: 'A', isDefault: true, goal: { goalId: 'gone' } }] },
      'goal.unknown',
      ['playbooks[0].goal.goalId'],
    ],
    [
      { playbooks: [{ name: 'A', isDefault: true, flow: { steps: [{ call: 'gone' }] } }] },
      'agent.playbook.flow_invalid',
      ['playbooks[0].flow.steps[0].call'],
    ],
    [
      {
        playbooks: [
          { name: 'A', isDefault: true },
          { name: 'B', outreachId: 'gone' },
        ],
      },
      'request.invalid',
      ['playbooks[1].outreachId'],
    ],
    [
      { capabilities: { knowledge: { things: [{ id: 't', name: 'T', collections: ['gone'] }] } } },
      'request.invalid',
      ['capabilities.knowledge.things[0].collections[0]'],
    ],
    [
      { capabilities: { scheduling: { availableHours: [{ dayOfWeek: 1, startTime: '25:00', endTime: '10:00' }] } } },
      'request.invalid',
      ['capabilities.scheduling.availableHours[0].startTime'],
    ],
    [
      {
        capabilities: {
          scheduling: {
            representatives: [
              { id: 'a', name: 'A' },
              { id: 'a', name: 'B' },
            ],
          },
        },
      },
      'request.invalid',
      ['capabilities.scheduling.representatives[1].id'],
    ],
    [
      { capabilities: { notifications: { emailApiKey: 'secret' } } },
      'request.invalid',
      ['capabilities.notifications.emailApiKey'],
    ],
    [
      { integrations: { custom: [{ id: 'x', description: 'X', endpoint: { url: 'ftp://x' } }] } },
      'request.invalid',
      ['integrations.custom[0].endpoint.url'],
    ],
    [
      { integrations: { custom: [{ id: 'x', description: 'X', endpoint: { url: 'https://x.io', auth: 'y' } }] } },
      'request.invalid',
      ['integrations.custom[0].endpoint.auth'],
    ],
    [
      { toolBindings: [{ toolId: '@svc/tool.order-lookup', config: { apiKey: 'x' } }] },
      'request.invalid',
      ['toolBindings[0].config.apiKey'],
    ],
    [{ toolBindings: [{ toolId: '@svc/tool.gone', config: {} }] }, 'request.invalid', ['toolBindings[0].toolId']],
    [
      { outreach: [{ ...sampleExport.outreach[0], id: 'journey' }] },
      'request.invalid',
      ['outreach[0].id', 'outreach[0].playbookId'],
    ],
    [
      { outreach: [{ ...sampleExport.outreach[0], openerTemplateId: 'gone' }] },
      'request.invalid',
      ['outreach[0].openerTemplateId'],
    ],
    [{ colour: 'red' }, 'request.invalid', ['colour']],
    [{ capabilities: { magic: {} } }, 'request.invalid', ['capabilities.magic']],
    [{ guardrails: { additionalRules: 'x' } }, 'request.invalid', ['guardrails.additionalRules']],
    [[], 'request.invalid', ['body']],
  ]
  for (const [sent, code, fields] of wrong) {
    const before = 'playbooks' in sent ? emptyDocument : sample
    t.same(errorsOf(importDocument(before, sent, readers)), { code, fields }, `${fields}`)
  }
})

t.test('An import that removes an item which another part references is refused with 409', async (t) => {
  t.same(errorsOf(importDocument(sample, { goals: [sampleExport.goals[0]] }, readers)), {
    code: 'agent.integrity_conflict',
    fields: ['outreach[0].goal.goalId', 'defaultGoal.then'].sort().reverse(),
  })
  t.equal(errorsOf(importDocument(sample, { messageTemplates: [] }, readers))?.code, 'agent.integrity_conflict')
  t.equal(
    errorsOf(importDocument(sample, { capabilities: { knowledge: { collections: [] } } }, readers))?.code,
    'agent.integrity_conflict',
  )
  t.equal(
    errorsOf(importDocument(sample, { playbooks: [sampleExport.playbooks[0]] }, readers))?.code,
    'agent.integrity_conflict',
  )
})

t.test('Removing an outreach removes its playbook', async (t) => {
  const after = must(importDocument(sample, { outreach: [] }, readers))
  t.same(
    after.playbooks.map((each) => each.id),
    ['front-desk', 'booking'],
  )
})

t.test('After any import the agent is either unchanged or completely replaced', async () => {
  const before = JSON.stringify(sample)
  const part = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.integer(),
    fc.constant([]),
    fc.constant({}),
    fc.array(fc.record({ id: fc.string(), name: fc.string() })),
  )
  const names = [
    'identity',
    'goals',
    'defaultGoal',
    'playbooks',
    'guardrails',
    'rules',
    'messageTemplates',
    'capabilities',
    'integrations',
    'outreach',
    'toolBindings',
    'products',
    'faqs',
    '__proto__',
  ]
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), part), (sent) => {
      const outcome = importDocument(sample, sent, readers)
      const isWhole = isRefusal(outcome) || !isRefusal(admit(sample, outcome as AgentDocument))
      return isWhole && JSON.stringify(sample) === before
    }),
    { numRuns: 500 },
  )
})

t.test('An export contains no secret', async (t) => {
  const bound = withItem(sample, 'toolBindings', {
    toolId: '@svc/tool.order-lookup',
    config: { baseUrl: 'https://shop.example' },
  })
  t.notMatch(JSON.stringify(exportDocument(bound)), /apiKey|authHeader|slackWebhookUrl|draftCampaigns/)
})
