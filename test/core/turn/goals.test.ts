/** Tests of goals: which one is active, and what reaches it. */
import t from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import type { GoalAssignment } from '../../../core/agent/resources/character.js'
import type { Person } from '../../../core/people/person.js'
import { activeGoal, type GoalEvent, isReached } from '../../../core/turn/goals.js'

const goal = (id: string, event: 'appointment.booked' | 'contact.captured' | 'person.replied' | 'link.tapped') => ({
  id,
  name: id,
  definition: { kind: 'event' as const, event },
})
const person = (fields: Partial<Person>): Person => ({
  id: 'per_1',
  status: 'new',
  source: 'operator',
  consent: { status: 'unknown' },
  identities: [],
  createdAt: 0,
  updatedAt: 0,
  ...fields,
})

function documentWith(assignments: { playbook?: GoalAssignment; outreach?: GoalAssignment; default?: GoalAssignment }) {
  return {
    ...emptyDocument,
    goals: [goal('book', 'appointment.booked'), goal('contact', 'contact.captured'), goal('reply', 'person.replied')],
    playbooks: [{ id: 'main', name: 'Main', body: '', uses: [], isDefault: true, ...goalOf(assignments.playbook) }],
    outreach: [{ id: 'spring', ...goalOf(assignments.outreach) }],
    ...(assignments.default && { defaultGoal: assignments.default }),
  } as unknown as AgentDocument
}
const goalOf = (assignment: GoalAssignment | undefined) => (assignment ? { goal: assignment } : {})
function unlessThen(goalId: string, unless: GoalAssignment['unless'], target: string): GoalAssignment {
  // biome-ignore lint/suspicious/noThenProperty: it is the contract's word, and holds an id
  return { goalId, unless, then: target }
}
const play = { playbookId: 'main', outreachId: 'spring' }

t.test('R18: the active goal is that of the playbook, then of the outreach, then the default', async (t) => {
  const all = { playbook: { goalId: 'book' }, outreach: { goalId: 'contact' }, default: { goalId: 'reply' } }
  t.same(activeGoal(documentWith(all), play, undefined), { id: 'book', from: 'playbook' })
  const { playbook: _own, ...rest } = all
  t.same(activeGoal(documentWith(rest), play, undefined), { id: 'contact', from: 'outreach' })
  t.same(activeGoal(documentWith(rest), { playbookId: 'main' }, undefined), { id: 'reply', from: 'default' })
  t.equal(activeGoal(documentWith({}), play, undefined), undefined)
})

t.test(
  'R20: where the condition holds, the goal behind then is active, and without one the next source decides',
  async (t) => {
    const unless = { field: 'person.status', op: 'eq', value: 'qualified' } as const
    const document = documentWith({
      playbook: unlessThen('book', unless, 'contact'),
      outreach: { goalId: 'book', unless },
      default: { goalId: 'reply' },
    })
    t.equal(activeGoal(document, play, person({}))?.id, 'book')
    t.equal(activeGoal(document, play, person({ status: 'qualified' }))?.id, 'contact')
    const withoutThen = documentWith({ outreach: { goalId: 'book', unless }, default: { goalId: 'reply' } })
    t.same(activeGoal(withoutThen, play, person({ status: 'qualified' })), { id: 'reply', from: 'default' })
    const deleted = documentWith({ playbook: unlessThen('book', unless, 'gone'), default: { goalId: 'reply' } })
    t.equal(activeGoal(deleted, play, person({ status: 'qualified' }))?.id, 'reply', 'a deleted target falls through')
  },
)

t.test('R21: each condition reads its field of the person', async (t) => {
  const holds = (unless: GoalAssignment['unless'], fields: Partial<Person>) =>
    activeGoal(documentWith({ default: unlessThen('book', unless, 'contact') }), play, person(fields))?.id === 'contact'
  t.ok(holds({ field: 'person.lastCallAt', op: 'exists' }, { lastCallAt: 5 }))
  t.notOk(holds({ field: 'person.lastCallAt', op: 'exists' }, {}))
  t.ok(holds({ field: 'person.consent.status', op: 'eq', value: 'granted' }, { consent: { status: 'granted' } }))
  t.notOk(holds({ field: 'person.consent.status', op: 'eq', value: 'granted' }, {}))
  t.ok(holds({ field: 'person.customFields.plan', op: 'eq', value: 'gold' }, { customFields: { plan: 'gold' } }))
  t.ok(holds({ field: 'person.customFields.plan', op: 'exists' }, { customFields: { plan: 'x' } }))
  t.notOk(holds({ field: 'person.customFields.toString', op: 'exists' }, { customFields: {} }), 'own members only')
})

t.test('R19: a goal is reached by its event, once a session', async (t) => {
  const document = documentWith({ default: { goalId: 'book' } })
  const active = { goal: { id: 'book', from: 'default' as const } }
  const booked = new Set<GoalEvent>(['appointment.booked'])
  t.ok(isReached(document, active, booked))
  t.notOk(isReached(document, active, new Set<GoalEvent>(['contact.captured'])))
  t.notOk(isReached(document, { ...active, reachedGoals: ['book'] }, booked))
  t.notOk(isReached(document, {}, booked))
})
