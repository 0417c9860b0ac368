/** What operators read of a conversation that was really held: on a channel, and in the emulator. */
import t from 'tap'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { aml, noReply, TestAgent } from '../harness/testagent.js'

const address = '+15550123'
const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

interface Entry {
  readonly origin: string
  readonly type: string
  readonly subtype?: string
  readonly text?: string
  readonly sessionId: string
  readonly messageId: string
  readonly [more: string]: unknown
}

const words = ({ origin, type, subtype, text }: Entry) => [origin, type, subtype, text].filter(Boolean).join(' ')

t.test('Every message is listed with its channel, its session and its outcome', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Harbor Desk')
  await testAgent.bind('sms', { mode: 'managed', inputs: {} })
  testAgent.replies(aml('Which room?\n[[chips: Red room | Blue room]]'), noReply)
  await testAgent.phoneAct('sms', { text: 'Hello' }, address)
  await testAgent.nextShownMessages(1)
  const list = async (path: string): Promise<Entry[]> =>
    (await testAgent.manage('GET', `${testAgent.agentPath}${path}`)).data
  await waitUntil(async () => (await list('/messages?type=status')).length > 0)
  await testAgent.phoneAct('sms', { text: '2' }, address)
  await waitUntil(async () => (await list('/messages?type=content')).length === 3)

  const entries = await list('/messages')
  const content = entries.filter(({ type }) => type === 'content')
  t.same(content.map(words), ['user content 2', 'agent content Which room?', 'user content Hello'])
  const [, reply, first] = content as [Entry, Entry, Entry]
  t.match(first, { agentId: 'harbor-desk', userId: /^usr_/, channel: 'sms', raw: { text: 'Hello' } })
  t.type(first.channelMessageId, 'string')
  t.match(reply, { channelMessageId: String, raw: { spec: 'amf/1', parts: [{ type: 'text' }] } })
  const status = entries.find(({ type }) => type === 'status')!
  t.equal(status.messageId, reply.messageId)
  t.same(new Set(entries.map(({ sessionId }) => sessionId)).size, 1)
  t.notMatch(JSON.stringify(entries), /5550123/, 'the id does not reveal the number')
  const { sessionId, userId } = first
  t.match(await list('/conversations'), [{ sessionId, userId, messageCount: 3, firstMessagePreview: 'Hello' }])
  t.match(await list('/users'), [{ userId, channel: 'sms', messageCount: 3 }])
  t.same(await list(`/messages?userId=${userId}`), entries, 'a person’s own list is the same')
  t.same(await list(`/messages?sessionId=${sessionId}`), entries)
})

t.test('Sandbox traffic is listed when test traffic is requested, on the simulated channel', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Rehearsed Desk')
  testAgent.replies(aml('Good day.'))
  const persona = await testAgent.manage('POST', `${testAgent.agentPath}/personas`, { name: 'Ada', channel: 'rcs' })
  await testAgent.manage('POST', `${testAgent.agentPath}/personas/${persona.id}/turns`, { text: 'Hi' })
  const list = async (path: string): Promise<Entry[]> =>
    (await testAgent.manage('GET', `${testAgent.agentPath}${path}`)).data
  for (const path of ['/messages', '/conversations', '/users']) {
    t.same(await list(path), [], `no live list of ${path} has it`)
    const tested = await list(`${path}?includeTest=true`)
    t.ok(tested.length > 0)
    for (const entry of tested) t.match(entry, { channel: 'webchat', emulatedChannel: 'rcs', test: true })
  }
  const contents = (await list('/messages?includeTest=true&type=content')).map(words)
  t.same(contents, ['agent content Good day.', 'user content Hi'])
})
