/** Routing without a model: a message enters a playbook only if it clearly is for it. */
import t from 'tap'
import { listCatalog } from '../../../core/catalogs/index.js'
import { indexPlaybooksInSteps, type PlaybookIndex, type RouteContext } from '../../../core/knowledge/playbookindex.js'
import { runToEnd } from '../../../core/steps.js'
import { documentOf, type Playbook } from './factcorpus.js'
import { messagesForNone, playbookMessages } from './playbookmessages.js'

const templates = listCatalog('playbook-templates')

/** A playbook of the catalog, under the last word of its template's id. */
function fromCatalog(id: string): Playbook {
  const template = templates.find((each) => each.id === `@svc/playbook.${id}`)
  if (!template) throw new Error(`the catalog has no playbook ${id}`)
  const { name, whenToUse, body, examples, isDefault = false } = template
  return { id, name, ...(whenToUse && { whenToUse }), body, uses: [], isDefault, ...(examples && { examples }) }
}

const agents: Readonly<Record<string, readonly string[]>> = {
  salon:
    'front-desk booking reschedule reminder-reply waitlist faq reach-us after-hours complaint quote-request product-showcase lead-capture'.split(
      ' ',
    ),
  shop: 'shop-assistant product-showcase order-status return-or-exchange lead-capture faq reach-us after-hours complaint troubleshooting waitlist viewing'.split(
    ' ',
  ),
  restaurant:
    'table-host table-reservation group-booking reschedule reminder-reply waitlist faq reach-us after-hours complaint lead-capture order-status'.split(
      ' ',
    ),
}

const indexOf = (playbooks: readonly Playbook[]): PlaybookIndex =>
  runToEnd(indexPlaybooksInSteps(documentOf({ playbooks })))
const enteredBy = (index: PlaybookIndex, text: string, context: RouteContext = {}) =>
  index.route(text, context).entered?.playbookId

for (const [name, ids] of Object.entries(agents)) {
  t.test(`C7: Messages enter the playbook that they are for, and no other: ${name}`, async (t) => {
    t.equal(ids.length, 12)
    const index = indexOf(ids.map(fromCatalog))
    const cases = ids.flatMap((id) => (playbookMessages[id] ?? []).map((text) => ({ id, text })))
    const entered = cases.map(({ id, text }) => ({ id, text, entered: enteredBy(index, text) }))
    t.same(
      entered.filter((each) => each.entered !== undefined && each.entered !== each.id),
      [],
      'none enters a wrong one',
    )
    const recall = entered.filter((each) => each.entered !== undefined).length / cases.length
    t.ok(recall >= 0.6, `recall ${recall} of ${cases.length}`)
    t.same(
      messagesForNone.filter((text) => enteredBy(index, text) !== undefined),
      [],
      'and others enter none',
    )
  })
}

t.test('C7: A message for two playbooks alike enters neither', async (t) => {
  const index = indexOf([
    { id: 'cut', name: 'Haircut', whenToUse: 'An appointment for a haircut.', body: '', uses: [], isDefault: true },
    { id: 'color', name: 'Color', whenToUse: 'An appointment for color.', body: '', uses: [], isDefault: false },
  ])
  const { entered, ranking } = index.route('I need an appointment', {})
  t.equal(entered, undefined)
  t.same(ranking.map(({ playbookId }) => playbookId).sort(), ['color', 'cut'], 'the record still shows both')
  t.match(index.route('an appointment for color', {}), {
    entered: { playbookId: 'color', score: Number, second: Number },
    ranking: [{ playbookId: 'color' }, { playbookId: 'cut' }],
  })
  t.same(index.route('', {}), { ranking: [] })
  t.same(index.route('what about the weather', {}), { ranking: [] })
  t.same(indexOf([]).route('an appointment', {}), { ranking: [] })
})

t.test('C7: The active playbook is not entered again, and holds against one that is hardly better', async (t) => {
  const index = indexOf(agents.salon!.map(fromCatalog))
  t.equal(enteredBy(index, 'I need to move my appointment', { active: 'booking' }), 'reschedule')
  const again = index.route('I need to move my appointment', { active: 'reschedule' })
  t.equal(again.entered, undefined)
  t.equal(again.ranking[0]?.playbookId, 'reschedule')
})

t.test('R25: The playbook of an Outreach is offered in the conversations of that Outreach alone', async (t) => {
  const owned = (id: string, outreachId: string): Playbook => ({ ...fromCatalog('reactivation'), id, outreachId })
  const index = indexOf([fromCatalog('front-desk'), owned('spring', 'o-1'), fromCatalog('faq')])
  const text = 'I have been meaning to come back'
  t.equal(enteredBy(index, text, { active: 'front-desk' }), undefined)
  t.same(
    index.route(text, {}).ranking.filter(({ playbookId }) => playbookId === 'spring'),
    [],
  )
  t.equal(enteredBy(index, text, { outreachId: 'o-2' }), undefined)
  t.equal(enteredBy(index, text, { outreachId: 'o-1' }), 'spring')
})

t.test('C7: Later lines of an example answer the agent, so they do not enter its playbook', async (t) => {
  const examples = [
    [
      { role: 'agent' as const, content: 'Hello! Looking for a kayak?' },
      { role: 'user' as const, content: 'where can I hire a canoe' },
      { role: 'agent' as const, content: 'Which day?' },
      { role: 'user' as const, content: 'saturday' },
    ],
  ]
  const index = indexOf([{ id: 'boats', name: 'Boats', body: '', uses: [], isDefault: true, examples }])
  t.equal(enteredBy(index, 'hire a canoe'), 'boats')
  t.equal(enteredBy(index, 'saturday'), undefined)
  t.equal(enteredBy(index, 'kayak'), undefined)
})

t.test('C7: Playbooks are found by their name, apart from case, punctuation and courtesies', async (t) => {
  const named = (id: string, name: string): Playbook => ({ id, name, body: '', uses: [], isDefault: false })
  const index = indexOf([named('one', 'Book a visit'), named('two', 'Our treatments'), named('three', 'BOOK A VISIT!')])
  const idsOf = (text: string) => index.named(text).map(({ id }) => id)
  t.same(idsOf('book a visit, please'), ['one', 'three'])
  t.same(idsOf('Our treatments'), ['two'])
  t.same(idsOf('a visit'), [])
})

t.test('C7: Routing holds among 500 playbooks', async (t) => {
  const topics = 'pump hose filter valve gasket motor fan belt lamp switch'.split(' ')
  const tasks = 'cleaning painting mounting storage rental transport inspection disposal training upgrade'.split(' ')
  const places = 'kitchen garden cellar garage attic'.split(' ')
  const cases = topics.flatMap((topic) =>
    tasks.flatMap((task) => places.map((place) => ({ id: `${topic}-${task}-${place}`, topic, task, place }))),
  )
  const playbooks = cases.map(({ id, topic, task, place }, nth): Playbook => {
    const whenToUse = `The person wants ${task} of a ${topic} in the ${place}.`
    return { id, name: `${task} of a ${topic}, ${place}`, whenToUse, body: '', uses: [], isDefault: nth === 0 }
  })
  t.equal(playbooks.length, 500)
  const steps = indexPlaybooksInSteps(documentOf({ playbooks }))
  let count = 0
  let next = steps.next()
  for (; !next.done; next = steps.next()) count++
  t.ok(count > 5, `${count} steps`)
  const index = next.value
  const sample = cases.filter((_, nth) => nth % 7 === 0)
  const entered = sample.map(({ topic, task, place }) =>
    enteredBy(index, `I want ${task} of the ${topic} in my ${place}`),
  )
  t.same(
    entered.filter((id, nth) => id !== undefined && id !== sample[nth]!.id),
    [],
  )
  t.equal(enteredBy(index, 'something for the garden'), undefined, 'one of a hundred')
  t.equal(index.route('the pump', {}).ranking.length, 5)
})
