/** People whom WhatsApp names by a number, by an id of the business, or by both: one person is one user. */
import { createHmac } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Item } from '../../../core/channel/adapter.js'
import { conversationCommands } from '../../../runtime/conversation/commands.js'
import { createOutreachPort } from '../../../runtime/conversation/outreachport.js'
import { readConversation } from '../../../runtime/conversation/queries.js'
import { contextOn } from '../../harness/agentcontext.js'
import { createAgents } from '../../harness/agents.js'
import { flushPending, waitUntil } from '../../harness/clock.js'
import { openTestNode, type TestNode } from '../../harness/node.js'
import { acceptAll, openGatewayFixture, textMessage } from '../conversation/fixture.js'

const auth = { phoneNumberId: '111', accessToken: 'EAAG01234567', appSecret: 'secret of the app', verifyToken: 'word' }

/** A person as one call names them. */
interface Named {
  readonly number?: string
  readonly userId?: string
}
const both: Named = { number: '15550100123', userId: 'US.13491208655302741918' }
const byNumber: Named = { number: '15550100123' }
const byId: Named = { userId: 'US.13491208655302741918' }

interface Bound {
  readonly id: string
  readonly manage: (method: string, path: string) => Promise<{ data: { userId: string; text: string }[] }>
}

async function bind(node: TestNode): Promise<Bound & { readonly agentId: string; readonly call: Agent['call'] }> {
  const agent = await createAgents(node).newAgent()
  const { id } = await agent.manage('POST', '/channels', {
    channel: 'messengerA',
    mode: 'unmanaged',
    provider: 'whatsapp',
    auth,
  })
  const { id: agentId } = await agent.manage('GET', '')
  return { id, agentId, manage: agent.manage, call: agent.call }
}
type Agent = Awaited<ReturnType<ReturnType<typeof createAgents>['newAgent']>>

let calls = 0

async function call(node: TestNode, { id }: Bound, value: object): Promise<void> {
  const fullValue = { metadata: { phone_number_id: auth.phoneNumberId }, ...value }
  const body = JSON.stringify({ entry: [{ id: 'WABA', changes: [{ field: 'messages', value: fullValue }] }] })
  const signature = createHmac('sha256', auth.appSecret).update(body).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${signature}` }
  const { status, text } = await node.gateway('POST', `/v4/ingress/${id}`, { body, headers })
  if (status !== 200) throw new Error(`${status} ${text}`)
}

async function receiveText(node: TestNode, bound: Bound, { number, userId }: Named, text: string): Promise<void> {
  const message = { id: `wamid.${++calls}`, type: 'text', text: { body: text }, ...(number && { from: number }) }
  const contact = { ...(number && { wa_id: number }), ...(userId && { user_id: userId }) }
  await call(node, bound, { contacts: [contact], messages: [message] })
}

async function usersOf({ manage }: Bound): Promise<Map<string, string[]>> {
  const { data } = await manage('GET', '/messages')
  const users = new Map<string, string[]>()
  for (const { userId, text } of data) users.set(userId, [...(users.get(userId) ?? []), text])
  return users
}

for (const [first, then] of [
  [both, [byId, byNumber, both]],
  [byNumber, [both, byId, byNumber]],
  [byId, [both, byNumber, byId]],
] as const) {
  t.test(`A person first named by ${Object.keys(first).join(' and ')} stays one user`, async (t) => {
    const node = await openTestNode()
    t.teardown(() => node.close())
    const bound = await bind(node)
    await receiveText(node, bound, first, 'first')
    for (const [at, named] of then.entries()) await receiveText(node, bound, named, `then ${at}`)
    const users = await usersOf(bound)
    t.equal(users.size, 1, JSON.stringify([...users]))
    t.same([...users.values()].flat().sort(), ['first', 'then 0', 'then 1', 'then 2'])
  })
}

t.test('Known addresses of a person survive a restart', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  const before = await openTestNode({ dir })
  const bound = await bind(before)
  await receiveText(before, bound, both, 'before')
  await before.close()
  const node = await openTestNode({ dir, clock: before.clock })
  t.teardown(() => node.close())
  await receiveText(node, bound, byId, 'after')
  await receiveText(node, bound, byNumber, 'and after')
  const manage = async (method: string, path: string) =>
    (await node.mgmt(method, `/v1/orgs/demo/agents/${bound.agentId}${path}`, { token: before.key })).json
  const users = await usersOf({ ...bound, manage })
  t.same([...users.values()], [['and after', 'after', 'before']])
})

t.test('A receipt that names both addresses links them to one person', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const bound = await bind(node)
  await receiveText(node, bound, byNumber, 'Hi')
  const { number: recipient_id, userId: recipient_user_id } = both
  await call(node, bound, { statuses: [{ id: 'wamid.out', status: 'delivered', recipient_id, recipient_user_id }] })
  await receiveText(node, bound, byId, 'Still me')
  t.same([...(await usersOf(bound)).values()], [['Still me', 'Hi']])
})

t.test('Two users that turn out to be one person are merged, and an opt-out of either applies', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const bound = await bind(node)
  await receiveText(node, bound, byNumber, 'by number')
  await receiveText(node, bound, byId, 'by id')
  const users = await usersOf(bound)
  t.equal(users.size, 2)
  const userOf = (text: string) => [...users].find(([, texts]) => texts.includes(text))![0]
  const [numbered, other] = [userOf('by number'), userOf('by id')]
  const who = {
    asid: other,
    agent: { orgId: 'demo', agentId: bound.agentId },
    channel: 'messengerA',
    address: byId.userId!,
  } as const
  const agent = contextOn('messengerA')
  const { engine } = node.node
  const { receiveInbound, mergeInto } = conversationCommands({ timeScale: 1 })
  const items = [{ id: 'out', inbound: { kind: 'system', system: 'optOut' } as const }]
  await engine.execute(other, receiveInbound, { identity: who, agent, items })
  await receiveText(node, bound, both, 'by both')
  const message = { spec: 'amf/1', parts: [{ type: 'text', text: 'Hello' }] }
  const reasonOf = async (userId: string) => {
    const { json } = await bound.call('POST', '/messages', { userId, messages: [message] })
    return json.results[0].reason
  }
  await waitUntil(async () => {
    const conversation = await engine.query(numbered, readConversation, { asid: numbered })
    return conversation !== null && 'optedOutAt' in conversation
  })
  t.equal(await reasonOf(numbered), 'optedOut')
  t.equal(await reasonOf(other), 'optedOut', 'whichever user id the agent has')
  await receiveText(node, bound, byId, 'by id again')
  const after = await usersOf(bound)
  t.same(after.get(numbered), ['by id again', 'by both', 'by number'])
  t.same(after.get(other), ['by id'])
  t.equal(await reasonOf(other), undefined, 'writing opts the person in again on this channel, under either address')
  await engine.execute(other, mergeInto, {
    identity: who,
    agent,
    canonical: { asid: numbered, address: byNumber.number! },
  })
  await flushPending()
  t.equal(await reasonOf(numbered), undefined, 'linking the two again does not bring back an opt-out that has ended')
})

t.test('Named sends and failover reach the address that a person is known by', async (t) => {
  const fixture = await openGatewayFixture(t, { channels: ['messengerA', 'sms'] })
  const adapter = fixture.adapters.find(({ descriptor }) => descriptor.channel === 'messengerA')!
  const { receive } = adapter
  const number = '15550100123'
  Object.assign(adapter, {
    receive(...call: Parameters<typeof receive>) {
      const received = receive(...call)
      if (received.kind !== 'items') return received
      const named = (item: Item) => ('address' in item && item.address === number ? { ...item, alias: 'US.1' } : item)
      return { ...received, items: received.items.map(named) }
    },
  })
  const byUserId = await fixture.receiveText('US.1', 'Hi', 'messengerA')
  const unknown = await fixture.receiveText(number, 'Hi again', 'messengerA')
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(byUserId), ['conversationStarted', 'windowChanged', 'Hi', 'Hi again'])
  t.same(fixture.eventTexts(unknown), [])
  const opened = await createOutreachPort(() => fixture.deps).open({
    agent: { orgId: 'acme', agentId: 'desk' },
    sendId: 'send_1',
    attempt: 1,
    isLast: true,
    asid: unknown,
    channel: 'messengerA',
    address: number,
    message: { spec: 'amf/1', parts: [{ type: 'text', text: 'Named' }] },
  })
  t.match(opened, { messageId: /^msg_/ })
  await waitUntil(() => fixture.providerRequests.some(({ text }) => text === 'Named'))

  const texter = await fixture.receiveText(`+${number}`, 'Hi', 'sms')
  fixture.setProvider((handed) =>
    handed.channel === 'sms' ? { kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' } : acceptAll(handed),
  )
  const delivery = { channels: ['sms', 'messengerA'], fallbackOn: ['sendFailed'] }
  await fixture.send(texter, [textMessage('Carried', { delivery })])
  await waitUntil(() =>
    fixture.providerRequests.some(({ text, channel }) => text === 'Carried' && channel === 'messengerA'),
  )
  const reached = fixture.providerRequests
    .filter(({ channel }) => channel === 'messengerA')
    .map(({ address }) => address)
  t.same([...new Set(reached)], ['US.1'])
})

t.test('Once both addresses were reported together, every later call is about one user', async () => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  let people = 0
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom('number', 'userId', 'both'), { maxLength: 4 }),
    fc.array(fc.constantFrom('number', 'userId', 'both'), { minLength: 2, maxLength: 5 }),
    async (before, after) => {
      const bound = await bind(node)
      const fullValue = { number: `1555010${1000 + ++people}`, userId: `US.${people}` }
      const named = (how: string): Named => (how === 'both' ? fullValue : { [how]: fullValue[how as keyof Named] })
      for (const how of before) await receiveText(node, bound, named(how), 'before')
      await receiveText(node, bound, fullValue, 'both')
      for (const [at, how] of after.entries()) await receiveText(node, bound, named(how), `after ${at}`)
      const users = await usersOf(bound)
      const later = [...users.values()].filter((texts) => texts.some((text) => text !== 'before'))
      return later.length === 1 && later[0]!.length >= after.length + 1
    },
  )
  await fc.assert(property, { numRuns: 12 })
})
