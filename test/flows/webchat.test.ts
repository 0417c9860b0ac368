/** A visitor in a real browser, the widget on a real node, and an agent that answers by webhook. */
import t, { type Test } from 'tap'
import { field, lines, shot, waitForText, writes } from '../adapters/webchat/widget/visitor.js'
import { openBrowser } from '../harness/browser.js'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { json, TestAgent } from '../harness/testagent.js'
import { textMessage } from './providerconversation.js'

t.setTimeout(300_000)

const node = await startNode()
t.teardown(() => node.clean())
const browser = await openBrowser()
t.teardown(() => browser.close())

interface WebhookEvent {
  readonly type: string
  readonly message?: { readonly text?: string }
  readonly result?: Record<string, unknown>
}

/** An agent, a visitor on the page of its chat, and what the agent was told that asks for an answer. */
async function meet(t: Test, name: string) {
  const testAgent = await TestAgent.open(t, node, name)
  const visit = await browser.visit({ origin: node.gateway })
  t.teardown(() => visit.close())
  const { page } = visit
  page.setDefaultTimeout(90_000)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 900, height: 900 })
  const url = `${node.gateway}/v4/webchat/${testAgent.agentPath.replace('/orgs/', '').replace('/agents/', '.')}`
  const events: WebhookEvent[] = []
  const waitForEvents = async (count: number) => {
    while (events.length < count) {
      const [event] = await testAgent.nextContentEvents(t, 1)
      const webhookEvent = event!.event.event as unknown as WebhookEvent
      if (webhookEvent.type === 'message' || webhookEvent.type === 'result') events.push(webhookEvent)
    }
    return events.at(-1)!
  }
  return { testAgent, page, url, troubles: visit.problems, events, waitForEvents }
}

const amfReply = (...parts: object[]) => json({ messages: [{ spec: 'amf/1', parts }] })
const moment = (day: number) => ({ iso: `2027-03-0${day}T10:00:00+01:00`, tz: 'Europe/Berlin' })
const choice = {
  type: 'ask.choice',
  intentId: 'why',
  prompt: 'What brings you here?',
  options: [
    { id: 'rest', label: 'Holiday' },
    { id: 'work', label: 'Work' },
  ],
}
const showcase = {
  type: 'showcase',
  intentId: 'room',
  prompt: 'These are free:',
  items: [
    { id: 'harbor', title: 'Harbor room', description: 'Faces the water' },
    { id: 'garden', title: 'Garden room', description: 'Quiet' },
  ],
}
const time = {
  type: 'ask.time',
  intentId: 'when',
  prompt: 'When do you arrive?',
  slots: [1, 2].map((day) => ({ id: `day${day}`, start: moment(day) })),
}
const confirm = {
  type: 'confirm',
  intentId: 'sure',
  prompt: 'Shall I book it?',
  details: [{ label: 'Room', value: 'Garden room' }],
  yesLabel: 'Book it',
}
const location = { type: 'ask.location', intentId: 'where', prompt: 'Where shall we pick you up?' }

t.test('A visitor writes, chooses, picks, confirms and shares a place, and every answer is a result', async (t) => {
  const { testAgent, page, url, troubles, waitForEvents } = await meet(t, 'Harbor Desk')
  testAgent.replies(
    amfReply({ type: 'text', text: 'Welcome to **Harbor**.' }, choice),
    amfReply(showcase),
    amfReply(time),
  )
  testAgent.replies(amfReply(confirm), amfReply(location), amfReply({ type: 'text', text: 'See you soon.' }))
  await page.context().grantPermissions(['geolocation'])
  await page.context().setGeolocation({ latitude: 54.32, longitude: 10.13 })
  await page.goto(url)
  await writes(page, 'I need a room')
  t.match(await waitForEvents(1), { type: 'message', message: { text: 'I need a room' } })
  await page.getByRole('button', { name: 'Holiday' }).click()
  t.match(await waitForEvents(2), { type: 'result', result: { intentId: 'why', optionIds: ['rest'], via: 'tap' } })
  await page.getByRole('button', { name: 'Select' }).nth(1).click()
  t.match(await waitForEvents(3), { type: 'result', result: { intentId: 'room', optionIds: ['garden'], via: 'tap' } })
  await page.getByRole('group', { name: 'Tuesday, March 2' }).getByRole('button').click()
  t.match(await waitForEvents(4), { type: 'result', result: { intentId: 'when', optionIds: ['day2'], via: 'tap' } })
  await page.getByRole('button', { name: 'Book it' }).click()
  t.match(await waitForEvents(5), { type: 'result', result: { intentId: 'sure', optionIds: ['yes'], via: 'tap' } })
  await page.getByRole('button', { name: 'Share location' }).click()
  t.match(await waitForEvents(6), {
    type: 'result',
    result: { intentId: 'where', via: 'location', place: { latitude: 54.32, longitude: 10.13 } },
  })
  await page.getByText('See you soon.').waitFor()
  await shot(page, 'flow')
  const before = await lines(page)
  await page.reload()
  await waitUntil(async () => (await lines(page)).length === before.length)
  t.same(await lines(page), before, 'a reload shows the same')
  t.equal(await page.getByRole('button', { name: /^Holiday/ }).getAttribute('aria-disabled'), 'true')
  for (const name of ['Holiday', 'Select', '9:00', 'Book it'])
    t.equal(await page.locator('.chosen').filter({ hasText: name }).count(), 1, `${name} is marked as the answer`)
  t.same(troubles, [])
})

t.test('Messages written offline arrive once and in order when the visitor is online again', async (t) => {
  const { page, url, events, waitForEvents } = await meet(t, 'Patient Desk')
  await page.goto(url)
  await writes(page, 'Zero')
  await waitForEvents(1)
  await page.getByText('· Sent').waitFor()
  await page.context().setOffline(true)
  await writes(page, 'One')
  await writes(page, 'Two')
  await page.getByText('Waiting for the connection').first().waitFor()
  await page.context().setOffline(false)
  await waitForEvents(3)
  await waitForText(page, 'Zero', 'One', 'Two')
  t.same(
    events.map(({ message }) => message?.text),
    ['Zero', 'One', 'Two'],
  )
})

t.test('Two tabs are one conversation, and a message seen in one of them is read', async (t) => {
  const { testAgent, page, url, waitForEvents } = await meet(t, 'Double Desk')
  await page.goto(url)
  await writes(page, 'Hello')
  await waitForEvents(1)
  const other = await page.context().newPage()
  other.setDefaultTimeout(90_000)
  await other.goto(url)
  await waitForText(other, 'Hello')
  const [sent] = await testAgent.send(testAgent.lastPerson(), textMessage('Hello to both'))
  for (const tab of [page, other]) await waitForText(tab, 'Hello', 'Hello to both')
  await waitUntil(() =>
    testAgent.statuses().some(({ messageId, state }) => messageId === sent!.messageId && state === 'read'),
  )
  await field(other).fill('From the other')
  await field(other).press('Enter')
  await waitForEvents(2)
  await waitForText(page, 'Hello', 'Hello to both', 'From the other')
})

t.test('The widget and the page of an unknown chat answer 404', async (t) => {
  for (const path of ['demo.nobody', 'demo.nobody/widget.js'])
    t.equal((await fetch(`${node.gateway}/v4/webchat/${path}`)).status, 404)
})

t.test('The script is cached by browsers, compressed, and contains the chat’s design', async (t) => {
  const { testAgent, url } = await meet(t, 'Bright "Desk" </script>')
  t.ok(testAgent.agentPath)
  const answer = await fetch(`${url}/widget.js`)
  t.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
  t.equal(answer.headers.get('content-encoding'), 'gzip')
  t.match(await answer.text(), /\(\{"title":"Bright \\"Desk\\" <\/script>"\}\)\n$/)
  const cached = await fetch(`${url}/widget.js`, { headers: { 'if-none-match': answer.headers.get('etag')! } })
  t.equal(cached.status, 304)
  t.match(await (await fetch(url)).text(), '<title>Bright &quot;Desk&quot; &lt;/script&gt;</title>')
})
