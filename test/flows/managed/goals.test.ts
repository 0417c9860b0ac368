/** Goals: which one is active, and what reaches it. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { openStage } from './stage.js'

t.setTimeout(300_000)

const goal = (id: string, event: string) => ({ id, name: id, definition: { kind: 'event', event } })
const goals = [goal('reply', 'person.replied'), goal('contact', 'contact.captured'), goal('tap', 'link.tapped')]
const judged = { id: 'happy', name: 'Happy', definition: { kind: 'judged', criterion: 'They are happy.' } }
const flow = {
  slots: [{ name: 'mail', type: 'email', required: true, prompt: 'Email?' }],
  steps: [{ collect: 'mail' }, { action: 'people.save', with: { fields: { email: '{mail}' } } }, { say: 'Thanks.' }],
}
const main = (more: object = {}) => ({
  ...{ id: 'main', name: 'Main', isDefault: true, uses: ['people'], body: '' },
  ...{ flow: { steps: [{ say: 'Hello.' }] } },
  ...more,
})
const signup = (more: object = {}) => ({ id: 'signup', name: 'Sign up', uses: ['people'], body: '', flow, ...more })
const people = { people: { fields: [{ key: 'vip', label: 'VIP', type: 'string' }] } }

t.test('R18, R22: the goal of a playbook is active while the playbook is, else the default one', async (t) => {
  const playbooks = [main(), signup({ goal: { goalId: 'contact' } })]
  const stage = await openStage(t, { goals, defaultGoal: { goalId: 'reply' }, playbooks, capabilities: people })
  const ann = stage.phone('sms', '+12075550190')
  t.match((await ann.write('hello')).turn.goal, { id: 'reply', from: 'default', reached: true })
  t.match((await ann.write('Sign up')).turn.goal, { id: 'contact', from: 'playbook' })
})

t.test(
  'R19, decision 6: contact.captured is reached when the agent saves an address that is new, once a session',
  async (t) => {
    const playbooks = [main(), signup({ goal: { goalId: 'contact' } })]
    const stage = await openStage(t, { goals, playbooks, capabilities: people })
    const ann = stage.phone('sms', '+12075550191')
    await ann.write('Sign up')
    t.match((await ann.write('ann@example.com')).turn.goal, { id: 'contact', reached: true })
    await ann.write('Sign up')
    t.strictSame((await ann.write('ann@example.com')).turn.goal, { id: 'contact', from: 'playbook' })
    const reached = async () =>
      (await stage.manage('GET', '/logs?limit=200')).data.filter(
        ({ event }: { event: string }) => event === 'goal.reached',
      )
    await waitUntil(async () => (await reached()).length > 0)
    t.match(await reached(), [{ data: { goal: 'contact', from: 'playbook' } }])
    t.equal((await reached()).length, 1)
  },
)

t.test('R19: link.tapped and a judged goal are stored, and nothing marks them reached', async (t) => {
  for (const goalId of ['tap', 'happy']) {
    const stage = await openStage(t, { goals: [...goals, judged], defaultGoal: { goalId }, playbooks: [main()] })
    t.strictSame((await stage.phone('sms', '+12075550192').write('hello')).turn.goal, { id: goalId, from: 'default' })
  }
})

t.test('R20, R21: unless and then choose another goal, and a condition without then the next source', async (t) => {
  const steps = [
    { action: 'people.save', with: { fields: { 'customFields.vip': 'yes' } }, confirm: 'Are you a VIP?' },
    { say: 'Hi.' },
  ]
  const promote = { steps }
  const unless = { field: 'person.customFields.vip', op: 'exists' }
  // biome-ignore lint/suspicious/noThenProperty: it is the contract's word
  const playbook = { goal: { goalId: 'reply', unless, then: 'contact' } }
  for (const [more, expected] of [
    [playbook, { id: 'contact', from: 'playbook' }],
    [{ goal: { goalId: 'reply', unless } }, { id: 'tap', from: 'default' }],
  ] as const) {
    const stage = await openStage(t, {
      ...{ goals, defaultGoal: { goalId: 'tap' }, capabilities: people },
      playbooks: [main({ ...more, flow: promote })],
    })
    const ann = stage.phone('sms', '+12075550193')
    t.match((await ann.write('hello')).turn.goal, { id: 'reply', from: 'playbook' })
    t.match((await ann.write('yes')).turn.goal, expected, 'the field is on file now')
  }
})
