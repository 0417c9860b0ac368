/** Every limit of the agent document: taken at the limit, refused one past it, with the exact path of the field. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import type { TSchema } from 'typebox'
import * as agent from '../../../core/agent/index.js'
import * as capabilities from '../../../core/agent/resources/capabilities.js'
import * as character from '../../../core/agent/resources/character.js'
import { Identity, IdentityPatch } from '../../../core/agent/resources/identity.js'
import * as knowledge from '../../../core/agent/resources/knowledge.js'
import { PlaybookBody, PlaybookPatch } from '../../../core/agent/resources/playbook.js'
import * as templates from '../../../core/agent/resources/templates.js'
import { faultsOf } from '../../../core/agent/schemacheck.js'
import { errorsOf, readers, sample } from './sample.js'

type Write = (value: never) => unknown
const many = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth))
const chars = (count: number) => 'x'.repeat(count)
/** What the goal becomes when the condition holds. */
const becoming = (goalId: string) => Object.fromEntries([['then', goalId]])

const goal = (change: object = {}) => ({
  id: 'g',
  name: 'G',
  definition: { kind: 'event', event: 'person.replied' },
  ...change,
})
const putGoal = (change: object) => agent.replaceGoals(agent.emptyDocument, { goals: [goal(change)] })
const putThing = (change: object) =>
  agent.replaceThings(sample, { things: [{ id: 't', name: 'T', ...change }] }, readers)
const action = (change: object) => putThing({ actions: [{ label: 'Go', url: 'https://example.com', ...change }] })
const location = (change: object) => putThing({ location: { latitude: 0, longitude: 0, ...change } })
const putCollection = (change: object) =>
  agent.replaceCollections(agent.emptyDocument, { collections: [{ id: 'c', name: 'C', ...change }] })
const putFact = (change: object) =>
  agent.replaceFacts(agent.emptyDocument, { facts: [{ id: 'f', question: 'Q?', answer: 'A.', ...change }] })
const putRule = (patterns: string[]) =>
  agent.replaceRules(agent.emptyDocument, { rules: [{ id: 'r', text: 'R', check: { kind: 'pattern', patterns } }] })
const scheduling = (change: object) => agent.replaceScheduling(agent.emptyDocument, change)
const say = (suggestions: string[]) =>
  agent.addPlaybook(sample, { name: 'P', flow: { steps: [{ say: { text: 'Hi', suggestions } }] } })
const integration = (id: string, change: object = {}) =>
  agent.putIntegration(agent.emptyDocument, id, {
    description: 'D',
    endpoint: { url: 'https://example.com' },
    ...change,
  })

/** What is written, the limit as documented, how a value of that size is made, and the field that is named. */
const limits: [string, Write, number, (size: number) => unknown, string][] = [
  [
    'goals',
    (goals) => agent.replaceGoals(agent.emptyDocument, { goals }),
    20,
    (size) => many(size, (nth) => goal({ id: `g${nth}` })),
    'goals[20]',
  ],
  ['goal name', (name) => putGoal({ name }), 80, chars, 'goals[0].name'],
  ['goal description', (description) => putGoal({ description }), 300, chars, 'goals[0].description'],
  [
    'goal criterion',
    (criterion) => putGoal({ definition: { kind: 'judged', criterion } }),
    500,
    chars,
    'goals[0].definition.criterion',
  ],
  [
    'standing instructions',
    (standingInstructions) => agent.replaceInstructions(agent.emptyDocument, { standingInstructions }),
    20,
    (size) => many(size, () => 'Be kind.'),
    'standingInstructions[20]',
  ],
  [
    'a standing instruction',
    (each) => agent.replaceInstructions(agent.emptyDocument, { standingInstructions: ['Be kind.', each] }),
    300,
    chars,
    'standingInstructions[1]',
  ],
  [
    'rule patterns',
    (patterns) => putRule(patterns),
    20,
    (size) => many(size, (nth) => `p${nth}`),
    'rules[0].check.patterns[20]',
  ],
  ['a rule pattern', (pattern) => putRule([pattern]), 200, chars, 'rules[0].check.patterns[0]'],
  ['thing id', (id) => putThing({ id }), 200, chars, 'things[0].id'],
  ['thing name', (name) => putThing({ name }), 200, chars, 'things[0].name'],
  ['thing description', (description) => putThing({ description }), 4000, chars, 'things[0].description'],
  [
    'thing imageUrl',
    (imageUrl) => putThing({ imageUrl }),
    500,
    (size) => `https://x.io/${chars(size - 13)}`,
    'things[0].imageUrl',
  ],
  [
    'thing productPageUrl',
    (productPageUrl) => putThing({ productPageUrl }),
    500,
    (size) => `https://x.io/${chars(size - 13)}`,
    'things[0].productPageUrl',
  ],
  ['thing media', (media) => putThing({ media }), 80, chars, 'things[0].media'],
  ['thing media as image:', (media) => putThing({ media }), 80, (size) => `image:${chars(size)}`, 'things[0].media'],
  [
    'thing actions',
    (actions) => putThing({ actions }),
    4,
    (size) => many(size, () => ({ label: 'Go', url: 'https://x.io' })),
    'things[0].actions[4]',
  ],
  ['action label', (label) => action({ label }), 25, chars, 'things[0].actions[0].label'],
  ['action value', (value) => action({ kind: 'reply', value }), 200, chars, 'things[0].actions[0].value'],
  ['location address', (address) => location({ address }), 500, chars, 'things[0].location.address'],
  ['location label', (label) => location({ label }), 200, chars, 'things[0].location.label'],
  ['latitude', (latitude) => location({ latitude }), 90, (size) => size, 'things[0].location.latitude'],
  ['longitude', (longitude) => location({ longitude }), 180, (size) => size, 'things[0].location.longitude'],
  ['southern latitude', (latitude) => location({ latitude }), 90, (size) => -size, 'things[0].location.latitude'],
  ['western longitude', (longitude) => location({ longitude }), 180, (size) => -size, 'things[0].location.longitude'],
  [
    'collections of a thing',
    (collections: never) =>
      agent.replaceThings(
        { ...sample, collections: many(21, (nth) => ({ id: `c${nth}`, name: 'C' })) },
        { things: [{ id: 't', name: 'T', collections }] },
        readers,
      ),
    20,
    (size) => many(size, (nth) => `c${nth}`),
    'things[0].collections[20]',
  ],
  ['collection id', (id) => putCollection({ id }), 200, chars, 'collections[0].id'],
  ['collection name', (name) => putCollection({ name }), 200, chars, 'collections[0].name'],
  ['collection purpose', (purpose) => putCollection({ purpose }), 500, chars, 'collections[0].purpose'],
  [
    'presented actions',
    (actions) => putCollection({ presentation: { actions } }),
    4,
    (size) => many(size, (nth) => `a${nth}`),
    'collections[0].presentation.actions[4]',
  ],
  [
    'a presented action',
    (label) => putCollection({ presentation: { actions: [label] } }),
    25,
    chars,
    'collections[0].presentation.actions[0]',
  ],
  ['fact question', (question) => putFact({ question }), 300, chars, 'facts[0].question'],
  ['fact answer', (answer) => putFact({ answer }), 1000, chars, 'facts[0].answer'],
  [
    'fact alternates',
    (alternates) => putFact({ alternates }),
    10,
    (size) => many(size, (nth) => `a${nth}`),
    'facts[0].alternates[10]',
  ],
  ['a fact alternate', (each) => putFact({ alternates: [each] }), 200, chars, 'facts[0].alternates[0]'],
  [
    'duration',
    (defaultDurationMinutes) => scheduling({ defaultDurationMinutes }),
    1440,
    (size) => size,
    'scheduling.defaultDurationMinutes',
  ],
  [
    'lead',
    (leadMinutes) => scheduling({ reminders: { leadMinutes } }),
    10080,
    (size) => size,
    'scheduling.reminders.leadMinutes',
  ],
  [
    'day of week',
    (dayOfWeek) => scheduling({ availableHours: [{ dayOfWeek, startTime: '09:00', endTime: '10:00' }] }),
    6,
    (size) => size,
    'scheduling.availableHours[0].dayOfWeek',
  ],
  ['integration id', (id) => integration(id), 64, chars, 'integration.id'],
  [
    'suggestions',
    (suggestions) => say(suggestions),
    4,
    (size) => many(size, (nth) => `s${nth}`),
    'flow.steps[0].say.suggestions[4]',
  ],
]

t.test('Every limit is accepted at its number and refused one past it, with its path', async (t) => {
  for (const [name, write, limit, make, field] of limits) {
    t.same(errorsOf(write(make(limit) as never)), undefined, `${name} of ${limit}`)
    t.same(
      errorsOf(write(make(limit + 1) as never)),
      { code: 'request.invalid', fields: [field] },
      `${name} of ${limit + 1}`,
    )
  }
})

t.test('A value below its minimum is refused with its path', async (t) => {
  const below: [unknown, string][] = [
    [action({ label: '' }), 'things[0].actions[0].label'],
    [say([]), 'flow.steps[0].say.suggestions'],
    [scheduling({ defaultDurationMinutes: 0 }), 'scheduling.defaultDurationMinutes'],
    [scheduling({ reminders: { leadMinutes: 0 } }), 'scheduling.reminders.leadMinutes'],
    [
      scheduling({ availableHours: [{ dayOfWeek: -1, startTime: '09:00', endTime: '10:00' }] }),
      'scheduling.availableHours[0].dayOfWeek',
    ],
    [scheduling({ defaultDurationMinutes: 1.5 }), 'scheduling.defaultDurationMinutes'],
    [putRule([]), 'rules[0].check.patterns'],
    [putGoal({ name: ' ' }), 'goals[0].name'],
    [putGoal({ id: 'Not A Slug' }), 'goals[0].id'],
  ]
  for (const [outcome, field] of below) t.same(errorsOf(outcome), { code: 'request.invalid', fields: [field] }, field)
})

t.test('Length is counted in code points, and a lone surrogate is refused', async (t) => {
  t.same(errorsOf(putGoal({ name: '👍'.repeat(80) })), undefined)
  t.same(errorsOf(putGoal({ name: '👍'.repeat(81) }))?.fields, ['goals[0].name'])
  t.same(errorsOf(putGoal({ name: 'half \ud800' }))?.fields, ['goals[0].name'])
})

t.test('A malformed goal is refused with its path', async (t) => {
  const wrong: [object, string][] = [
    [{ definition: { kind: 'event', event: 'sun.rose' } }, 'goals[0].definition.event'],
    [{ definition: { kind: 'wished' } }, 'goals[0].definition.kind'],
    [{ definition: {} }, 'goals[0].definition.kind'],
    [{ definition: { kind: 'judged' } }, 'goals[0].definition.criterion'],
    [{ definition: 'x' }, 'goals[0].definition'],
    [{ colour: 'red' }, 'goals[0].colour'],
  ]
  for (const [change, field] of wrong) t.same(errorsOf(putGoal(change)), { code: 'request.invalid', fields: [field] })
  const twice = agent.replaceGoals(agent.emptyDocument, { goals: [goal(), goal()] })
  t.same(errorsOf(twice), { code: 'request.invalid', fields: ['goals[1].id'] })
  t.same(errorsOf(agent.replaceGoals(agent.emptyDocument, {})), { code: 'request.invalid', fields: ['goals'] })
})

t.test('A condition accepts the operation and the value of its field', async (t) => {
  const put = (unless: object) =>
    agent.replaceGoals(agent.emptyDocument, {
      goals: [goal()],
      defaultGoal: { goalId: 'g', unless, ...becoming('g') },
    })
  const good = [
    { field: 'person.lastCallAt', op: 'exists' },
    { field: 'person.consent.status', op: 'eq', value: 'granted' },
    { field: 'person.status', op: 'eq', value: 'new' },
    { field: 'person.customFields.plan', op: 'eq', value: 'gold' },
    { field: 'person.customFields.plan', op: 'exists' },
  ]
  for (const condition of good) t.same(errorsOf(put(condition)), undefined, JSON.stringify(condition))
  const bad: [object, string][] = [
    [{ field: 'person.lastCallAt', op: 'eq', value: 'x' }, 'defaultGoal.unless.op'],
    [{ field: 'person.consent.status', op: 'eq', value: 'maybe' }, 'defaultGoal.unless.value'],
    [{ field: 'person.status', op: 'exists' }, 'defaultGoal.unless.op'],
    [{ field: 'person.customFields.plan', op: 'eq' }, 'defaultGoal.unless.value'],
    [{ field: 'person.shoeSize', op: 'exists' }, 'defaultGoal.unless.field'],
    [{ field: 'person.status', op: 'like', value: 'x' }, 'defaultGoal.unless.op'],
  ]
  for (const [condition, field] of bad)
    t.same(errorsOf(put(condition)), { code: 'request.invalid', fields: [field] }, field)
})

t.test('Assigning a missing goal is 422 goal.unknown, with its path', async (t) => {
  const put = agent.replaceGoals(agent.emptyDocument, {
    goals: [goal()],
    defaultGoal: { goalId: 'gone', unless: { field: 'person.lastCallAt', op: 'exists' }, ...becoming('gone-too') },
  })
  t.same(errorsOf(put), { code: 'goal.unknown', fields: ['defaultGoal.goalId', 'defaultGoal.then'] })
  const playbook = agent.patchPlaybook(sample, 'booking', { goal: { goalId: 'gone' } })
  t.same(errorsOf(playbook), { code: 'goal.unknown', fields: ['playbooks[1].goal.goalId'] })
  const added = agent.addPlaybook(sample, {
    name: 'P',
    goal: { goalId: 'booked', unless: { field: 'person.lastCallAt', op: 'exists' }, ...becoming('gone') },
  })
  t.same(errorsOf(added), { code: 'goal.unknown', fields: ['playbooks[3].goal.then'] })
})

t.test('An omitted default goal stays, and null removes it', async (t) => {
  const goals = sample.goals
  t.same(agent.replaceGoals(sample, { goals }), sample)
  t.notOk('defaultGoal' in (agent.replaceGoals(sample, { goals, defaultGoal: null }) as object))
  t.equal(
    errorsOf(agent.admit(sample, agent.replaceGoals(sample, { goals: [goals[1]], defaultGoal: null })))?.code,
    'agent.integrity_conflict',
  )
})

t.test('Every schema compiles as strictly for routes as for the document', async (t) => {
  const ajv = new Ajv2020({ strict: true, discriminator: true, allowUnionTypes: true, validateFormats: false })
  const all: Record<string, unknown> = {
    ...capabilities,
    ...character,
    ...knowledge,
    ...templates,
    Identity,
    IdentityPatch,
    PlaybookBody,
    PlaybookPatch,
  }
  const schemas = Object.entries(all).filter(
    ([, value]) => typeof value === 'object' && value !== null && ('properties' in value || 'items' in value),
  )
  t.ok(schemas.length > 40)
  for (const [name, schema] of schemas) t.doesNotThrow(() => ajv.compile(schema as TSchema), name)
})

t.test('Write-only fields are marked, and no document stores one', async (t) => {
  const isMarked = (schema: unknown): boolean => JSON.stringify(schema).includes('"writeOnly":true')
  t.ok(isMarked(capabilities.NotificationsBody.properties.slackWebhookUrl))
  t.ok(isMarked(capabilities.NotificationsBody.properties.emailApiKey))
  t.ok(isMarked(capabilities.IntegrationBody.properties.authHeader))
  for (const [section, schema] of Object.entries({ ...agent.listSections, ...agent.singleSections })) {
    t.notOk(isMarked(schema), section)
  }
})

t.test('No member reaches the prototype of an object', async (t) => {
  const metadata = JSON.parse('{ "__proto__": "x", "constructor": "y" }') as object
  t.same(errorsOf(putThing({ metadata }))?.fields, ['things[0].metadata.__proto__'])
  t.same(errorsOf(putThing({ metadata: { constructor: 'y' } })), undefined)
  t.same(errorsOf(putThing({ metadata: { ...Object.fromEntries(many(101, (nth) => [`k${nth}`, 'v'])) } }))?.fields, [
    'things[0].metadata',
  ])
})

/** Every place inside a value, as the steps that lead to it. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...path, name]))]
}

function changedAt(value: unknown, [name, ...rest]: string[], change: (old: unknown) => unknown): unknown {
  if (name === undefined) return change(value)
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  const changed = changedAt(copy[name], rest, change)
  if (changed === undefined && !Array.isArray(copy)) delete copy[name]
  else copy[name] = changed === undefined ? null : changed
  return copy
}

const changes: ((old: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  () => 'x'.repeat(60_000),
  () => '',
  () => -1,
  () => 1.5,
  () => [],
  () => ({}),
  () => true,
  (old) => (typeof old === 'object' && old !== null && !Array.isArray(old) ? { ...old, unheardOf: 1 } : [old]),
]

t.test('The document and a route accept the same values by the same schema', async () => {
  const ajv = new Ajv2020({ strict: true, discriminator: true, allowUnionTypes: true })
  formats.default(ajv)
  const sections = { ...agent.listSections, ...agent.singleSections }
  const present = (Object.keys(sections) as (keyof typeof sections)[]).filter((name) => sample[name] !== undefined)
  const checks = new Map(present.map((name) => [name, ajv.compile(sections[name] as TSchema)]))
  fc.assert(
    fc.property(fc.constantFrom(...present), fc.nat(), fc.constantFrom(...changes), (name, nth, change) => {
      const paths = pathsIn(sample[name])
      const value = JSON.parse(
        JSON.stringify(changedAt(sample[name], paths[nth % paths.length]!, change) ?? null),
      ) as unknown
      const isAccepted = faultsOf(sections[name], value).length === 0
      if (isAccepted !== checks.get(name)!(value)) throw new Error(`${name} ${JSON.stringify(value)?.slice(0, 500)}`)
    }),
    { numRuns: 3_000 },
  )
})

t.test('No text contains a URL with a user name or password, and any other text with an @ is accepted', async (t) => {
  const refused = [
    '[[media: https://user:ZZ@a.example/x.png | alt]]',
    'See HTTP://me@a.example',
    'x https://:pw@a.example',
  ]
  for (const body of refused) {
    const faults = [
      ...faultsOf(templates.MessageTemplateBody, { name: 'x', body }),
      ...faultsOf(PlaybookBody, { name: 'x', body, examples: [[{ role: 'agent', content: body }]] }),
      ...faultsOf(capabilities.NotificationsBody, {
        email: { provider: 'sendgrid', fromAddress: 'a@b.example', fromName: body },
      }),
    ]
    t.same(
      faults.map(({ field }) => field),
      ['body', 'body', 'examples[0][0].content', 'email.fromName'],
    )
    for (const { message } of faults) t.equal(message, 'must not hold an address with a user name or password')
    t.same(faultsOf(capabilities.NotificationsBody, { emailApiKey: body }), [], 'a sealed text may contain one')
  }
  const acceptedBodies = [
    'https://a.example/@me?to=x@y.example#@',
    'https://a.example me@b.example',
    '[[chips: Site -> https://a.example | Mail me@b.example]]',
    'Voir https://a.example、me@b.example',
    'mailto:me@a.example',
  ]
  for (const body of acceptedBodies) t.same(faultsOf(templates.MessageTemplateBody, { name: 'x', body }), [], body)
})
