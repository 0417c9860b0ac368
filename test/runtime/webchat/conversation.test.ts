/** A visitor talks with an agent over sockets of a running node: nothing lost, nothing doubled, every tab alike. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { budgets, webchat as limits } from '../../../core/limits/index.js'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { waitUntil } from '../../harness/clock.js'
import { type NodeProcess, testKey } from '../../harness/process.js'
import { json, TestAgent } from '../../harness/testagent.js'
import { codeOfSocket, createVisitor, Page, requestToken, statusOfSocket, textsOf } from './visitor.js'

prepareUws(false)
const dir = await mkdtemp(join(tmpdir(), 'parley-'))
const read = readConfig({
  PARLEY_DATA_DIR: dir,
  PARLEY_BOOTSTRAP_KEY: testKey,
  PARLEY_GATEWAY_PORT: '0',
  PARLEY_MGMT_PORT: '0',
  PARLEY_ALLOW_PRIVATE_URLS: 'true',
  PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
})
if ('problems' in read) throw new Error(read.problems.join())
const { log } = createLog({ destination: { write: () => {} } })
const running = await runNode(read.config, { clock: systemClock, log, checkReplies: true })
let isStopped = false
t.teardown(async () => {
  if (!isStopped) await running.stop()
  await rm(dir, { recursive: true, force: true })
})
const node = running.urls as unknown as NodeProcess

interface Setting {
  readonly testAgent: TestAgent
  /** The address of the agent's chat. */
  readonly chat: string
}

let agents = 0
async function openChat(t: Test): Promise<Setting> {
  const testAgent = await TestAgent.open(t, node, `Harbor ${agents++}`)
  const agentId = testAgent.agentPath.split('/').at(-1)
  return { testAgent, chat: `${node.gateway}/v4/webchat/demo.${agentId}` }
}

const text = (words: string) => ({ spec: 'amf/1', parts: [{ type: 'text', text: words }] })

/** The visitor has said something, so that the agent knows them. */
async function openVisit(t: Test, { testAgent, chat }: Setting) {
  const { token, visitorId } = await createVisitor(chat)
  const page = await Page.open(chat, { token })
  await page.text('Hello')
  await testAgent.nextContentEvents(t, 2)
  await page.waitForLines(1)
  return { page, token, visitorId, userId: testAgent.lastPerson() }
}

t.test('The binding of web chat shows the URLs of its page and script, and no other binding does', async (t) => {
  const { testAgent, chat } = await openChat(t)
  const { data } = await testAgent.manage('GET', `${testAgent.agentPath}/channels`)
  const bound = data.find(({ channel }: { channel: string }) => channel === 'webchat')
  t.match(bound, { chatUrl: chat, widgetUrl: `${chat}/widget.js` })
  t.match(await testAgent.manage('GET', `${testAgent.agentPath}/channels/${bound.id}`), bound)
  for (const url of [bound.chatUrl, bound.widgetUrl]) t.equal((await fetch(url)).status, 200, url)
  t.equal((await fetch(chat.replace('demo.', ''))).status, 404, 'an id alone is of no org')
  const sms = await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  t.notMatch(sms, { chatUrl: String })
})

t.test('A visitor’s message reaches the agent, and the reply reaches the page under a cursor', async (t) => {
  const setting = await openChat(t)
  const { testAgent, chat } = setting
  const { token, visitorId } = await createVisitor(chat)
  const page = await Page.open(chat, { token })
  t.match(page.frames[0], { v: 1, type: 'welcome', visitorId, cursor: 0, more: false }, 'the welcome comes first')
  testAgent.replies(json({ messages: [{ ...text('Welcome to **Harbor**.'), chips: [{ label: 'Book' }] }] }))
  await page.text('Hi', 'first')
  const [started, message] = await testAgent.nextContentEvents(t, 2)
  t.match(started!.event.event, { type: 'system', system: { kind: 'conversationStarted' } })
  t.match(message!.event, { context: { channel: 'webchat' }, event: { type: 'message', message: { text: 'Hi' } } })
  const [question, answer] = await page.waitForLines(2)
  t.match(question, { type: 'said', id: 'first', text: 'Hi', cursor: 1 })
  t.match(answer, {
    type: 'message',
    cursor: 2,
    state: 'sent',
    blocks: [{ kind: 'text', text: 'Welcome to **Harbor**.' }],
  })

  await t.test('A tap, named by its id, is an answer to its own message', async (t) => {
    const { blocks } = answer as { blocks: { chips?: { label: string; tap: string }[] }[] }
    const chip = blocks.flatMap(({ chips = [] }) => chips)[0]!
    page.sendFrame({ type: 'tap', id: 'tapped', tap: chip.tap })
    await page.waitForAccepted('tapped')
    const [result] = await testAgent.nextContentEvents(t, 1)
    t.match(result!.event.event, { type: 'result', result: { labels: ['Book'], via: 'tap' } })
    t.match((await page.waitForLines(3)).at(-1), { type: 'said', id: 'tapped', text: 'Book' })
  })

  await t.test('A place and media that the visitor shares are answers', async (t) => {
    const location = { latitude: 48.2, longitude: 16.37 }
    const media = [{ url: 'https://files.example/a.jpg', type: 'image/jpeg' }]
    page.sendFrame({ type: 'location', id: 'here', place: location })
    page.sendFrame({ type: 'media', id: 'photo', media, text: 'This one' })
    await page.waitForAccepted('photo')
    const events = await testAgent.nextContentEvents(t, 2)
    t.match(events[0]!.event.event, { type: 'message', message: { place: location } })
    t.match(events[1]!.event.event, { type: 'message', message: { media, text: 'This one' } })
    t.match((await page.waitForLines(5)).slice(3), [
      { type: 'said', id: 'here', place: location },
      { type: 'said', id: 'photo', media, text: 'This one' },
    ])
  })
  await page.close()
})

t.test('Older lines are sent on request, down to the first, and contacts come as files', async (t) => {
  const setting = await openChat(t)
  const { testAgent } = setting
  const { page, userId } = await openVisit(t, setting)
  const hotel = { name: 'Harbor Hotel', phone: '+494315550100' }
  await testAgent.send(userId, { spec: 'amf/1', parts: [{ type: 'share.contact', ...hotel }] })
  const count = limits.linesPerRead + 2
  for (let sent = 2; sent < count; sent++) await testAgent.send(userId, text(`Number ${sent + 1}`))
  const lines = await page.waitForLines(count)
  t.match(lines[1], { type: 'message', contacts: [hotel] })
  page.sendFrame({ type: 'older', before: lines.at(-1)!.cursor })
  const [first] = await page.waitForFrames('older')
  t.same(first!.lines, lines.slice(1, -1), 'each unchanged')
  t.match(first, { from: lines[1]!.cursor, more: true })
  page.sendFrame({ type: 'older', before: first!.from })
  const [, last] = await page.waitForFrames('older', 2)
  t.match(last, { from: lines[0]!.cursor, more: false, lines: [{ type: 'said', text: 'Hello' }] })
  await page.close()
})

t.test('A frame repeated under the same id is accepted again and processed once', async (t) => {
  const setting = await openChat(t)
  const { page } = await openVisit(t, setting)
  for (let times = 0; times < 3; times++) page.sendFrame({ type: 'text', id: 'again', text: 'Only once' })
  await page.waitForAccepted('again', 3)
  await page.text('Afterwards')
  const events = await setting.testAgent.nextContentEvents(t, 2)
  t.same(
    events.map(({ event: { event } }) => (event.message as { text: string }).text),
    ['Only once', 'Afterwards'],
  )
  t.same(textsOf(await page.waitForLines(3)), ['Hello', 'Only once', 'Afterwards'])
  await page.close()
})

t.test('Every tab of a visitor gets the same lines in the same order, whenever it was opened', async (t) => {
  const setting = await openChat(t)
  const { page, token, userId } = await openVisit(t, setting)
  const other = await Page.open(setting.chat, { token })
  await other.text('From the other tab', 'other')
  await setting.testAgent.send(userId, text('To both'))
  await Promise.all([page.waitForLines(3), other.waitForLines(3)])
  t.same(other.entries, page.entries)
  const late = await Page.open(setting.chat, { token })
  t.same(late.entries, page.entries, 'live lines equal those of the transcript')
  t.same(textsOf(late.entries), ['Hello', 'From the other tab', 'To both'])
  for (const each of [page, other, late]) await each.close()
})

t.test('A message without an open page is sent, waits, and comes behind the cursor of the next page', async (t) => {
  const setting = await openChat(t)
  const { page, token, userId } = await openVisit(t, setting)
  const { cursor } = page
  await page.close()
  const results = await setting.testAgent.send(userId, text('One'), text('Two'), text('Three'))
  await waitUntil(() => results.every(({ messageId }) => isIn(setting.testAgent, messageId, 'sent')))
  const back = await Page.open(setting.chat, { token, after: cursor })
  t.same(textsOf(back.entries), ['One', 'Two', 'Three'])
  t.same(
    back.frames.map(({ type }) => type),
    ['welcome', 'message', 'message', 'message', 'caughtUp'],
  )
  await setting.testAgent.send(userId, text('Four'))
  t.same(textsOf(await back.waitForLines(4)), ['One', 'Two', 'Three', 'Four'])
  await back.close()
})

function isIn(testAgent: TestAgent, messageId: string, state: string): boolean {
  return testAgent.statuses().some((status) => status.messageId === messageId && status.state === state)
}

t.test('A page without a cursor gets the newest lines, and learns that there are older ones', async (t) => {
  const setting = await openChat(t)
  const { data } = await setting.testAgent.manage('GET', `${setting.testAgent.agentPath}/channels`)
  const webchat = data.find((binding: { channel: string }) => binding.channel === 'webchat')
  const delivery = { loopGuard: { messages: 1_000 } }
  await setting.testAgent.manage('PATCH', `${setting.testAgent.agentPath}/channels/${webchat.id}`, { delivery })
  const { page, token, userId } = await openVisit(t, setting)
  const calls = limits.historyLines / 10
  for (let call = 0; call < calls; call++) {
    const messages = Array.from({ length: 10 }, (_, n) => text(`Line ${call * 10 + n}`))
    await setting.testAgent.send(userId, ...messages)
  }
  await page.waitForLines(limits.historyLines + 1)
  const fresh = await Page.open(setting.chat, { token })
  t.match(fresh.frames[0], { type: 'welcome', cursor: limits.historyLines + 1, more: true })
  t.same(fresh.entries, page.entries.slice(1))
  const fullPage = await Page.open(setting.chat, { token, after: 0 })
  t.match(fullPage.frames[0], { type: 'welcome', more: false })
  t.same(fullPage.entries, page.entries, 'a cursor gets everything behind it')
  for (const each of [page, fresh, fullPage]) await each.close()
})

t.test('A message is delivered when a tab shows it and read when one says so, each reported once', async (t) => {
  const setting = await openChat(t)
  const { page, token, userId } = await openVisit(t, setting)
  const other = await Page.open(setting.chat, { token })
  const [first, second] = await setting.testAgent.send(userId, text('Look'), text('And here'))
  await Promise.all([page.waitForLines(3), other.waitForLines(3)])
  for (const each of [page, other]) each.sendFrame({ type: 'delivered', messageIds: [first!.messageId] })
  await waitUntil(() => isIn(setting.testAgent, first!.messageId, 'delivered'))
  for (const each of [page, other]) each.sendFrame({ type: 'read', messageIds: [first!.messageId, second!.messageId] })
  await waitUntil(() => isIn(setting.testAgent, second!.messageId, 'read'))
  page.sendFrame({ type: 'read', messageIds: ['msg_nobody-ever-sent', first!.messageId] })
  await page.text('Done')
  await setting.testAgent.nextContentEvents(t, 1)
  const sentStatuses = setting.testAgent.statuses().map(({ messageId, state }) => `${state} ${messageId}`)
  const expected = [first!, second!].flatMap(({ messageId }) =>
    ['sent', 'delivered', 'read'].map((each) => `${each} ${messageId}`),
  )
  t.same([...sentStatuses].sort(), expected.sort())
  const reopened = await Page.open(setting.chat, { token })
  t.same(
    reopened.entries.flatMap((line) => (line.type === 'message' ? [line.state] : [])),
    ['read', 'read'],
    'a page learns of earlier read marks',
  )
  for (const each of [page, other, reopened]) await each.close()
})

t.test('Typing is reported in both directions, and read marks of the agent reach the page', async (t) => {
  const setting = await openChat(t)
  const { page, userId } = await openVisit(t, setting)
  page.sendFrame({ type: 'typing' })
  page.sendFrame({ type: 'typing' })
  const [event] = await setting.testAgent.nextContentEvents(t, 1)
  t.match(event!.event.event, { type: 'system', system: { kind: 'typing' } })
  await setting.testAgent.send(userId, { spec: 'amf/1', signal: 'typing' })
  const [typing] = await page.waitForFrames('typing')
  t.equal(typing!.forMs, limits.typingForMs)
  await setting.testAgent.send(userId, { spec: 'amf/1', signal: 'read' })
  await page.waitForFrames('seen')
  await page.text('Still here')
  const [next] = await setting.testAgent.nextContentEvents(t, 1)
  t.match(next!.event.event, { type: 'message' }, 'frequent signals are reported once')
  t.equal(page.entries.length, 2, 'none of them is a line')
  await page.close()
})

t.test('An unreadable frame is answered with its field, and ten of them close the socket', async (t) => {
  const setting = await openChat(t)
  const { page } = await openVisit(t, setting)
  page.raw('{"v":1,"type":"text","id":"x","text":""}')
  page.raw('{"v":1,"type":"shout","id":"y"}')
  page.raw('{"v":2,"type":"text","id":"z","text":"Hi"}')
  page.raw('nothing of the sort')
  page.raw(new Uint8Array([1, 2, 3]))
  const errors = await page.waitForFrames('error', 5)
  t.match(errors, [
    { code: 'invalidFrame', field: 'text', id: 'x' },
    { code: 'invalidFrame', field: 'type', id: 'y' },
    { code: 'invalidFrame', field: 'v', id: 'z' },
    { code: 'invalidFrame', message: /JSON object/ },
    { code: 'invalidFrame', message: /JSON object/ },
  ])
  await page.text('Good again')
  const [event] = await setting.testAgent.nextContentEvents(t, 1)
  t.match(event!.event.event, { message: { text: 'Good again' } }, 'none of them was processed')
  for (let left = limits.unreadableFrames - 5; left > 0; left--) page.raw('{}')
  t.equal(await page.waitForClose(), 1008)
})

t.test('A visitor sends no more than the budget allows, and learns when to retry', async (t) => {
  const setting = await openChat(t)
  const { page } = await openVisit(t, setting)
  for (let n = 0; n < 30; n++) page.sendFrame({ type: 'text', id: `n-${n}`, text: `Number ${n}` })
  const [error] = await page.waitForFrames('error')
  t.match(error, { code: 'rateLimited', id: /^n-/, retryAfterMs: Number })
  await page.close()
})

t.test('A token continues as the same visitor; another agent’s, a changed and a missing one are refused', async (t) => {
  const { chat } = await openChat(t)
  const { chat: otherChat } = await openChat(t)
  const first = await createVisitor(chat)
  t.equal(first.resumed, false)
  const reopened = await createVisitor(chat, first.token)
  t.match(reopened, { visitorId: first.visitorId, resumed: true })
  const changed = first.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const stranger = await createVisitor(chat, changed)
  t.equal(stranger.resumed, false)
  t.not(stranger.visitorId, first.visitorId)
  t.not((await createVisitor(otherChat, first.token)).visitorId, first.visitorId)
  t.equal(await codeOfSocket(chat, { token: first.token }), 0)
  t.equal(await codeOfSocket(chat, { token: changed }), 4401)
  t.equal(await codeOfSocket(chat, { token: '' }), 4401)
  t.equal(await codeOfSocket(otherChat, { token: first.token }), 4401)
  t.equal(await statusOfSocket(`${node.gateway}/v4/webchat/harbor`, `token=${first.token}`), 404)
  t.equal(await statusOfSocket(chat, `token=${first.token}&after=x`), 400)
  t.equal((await requestToken(`${node.gateway}/v4/webchat/demo.nobody`, {})).status, 404)
  t.equal((await requestToken(`${node.gateway}/v4/webchat/nobody`, {})).status, 404)
  t.equal((await fetch(`${chat}/visitors`, { method: 'POST' })).status, 201, 'a body may be left out')
  t.equal(await statusOfSocket(`${chat}/visitors`, ''), 405, 'other paths are answered as ever')
})

t.test('Visitors behind a trusted proxy have their own budgets, not the proxy’s', async (t) => {
  const { chat } = await openChat(t)
  const comes = async (client: string) =>
    (await fetch(`${chat}/visitors`, { method: 'POST', headers: { 'x-forwarded-for': client } })).status
  const many = Array.from({ length: 4 * budgets.webchatVisitors.burstCalls }, () => comes('203.0.113.1'))
  t.ok((await Promise.all(many)).includes(429))
  t.equal(await comes('203.0.113.2'), 201)
  t.equal(await comes('203.0.113.1, 203.0.113.3'), 201, 'only the proxy’s header counts')
})

t.test('All addresses in one IPv6 network of 64 bits share one budget', async (t) => {
  const { chat } = await openChat(t)
  const comes = async (client: string) =>
    (await fetch(`${chat}/visitors`, { method: 'POST', headers: { 'x-forwarded-for': client } })).status
  const many = Array.from({ length: 4 * budgets.webchatVisitors.burstCalls }, (_, at) =>
    comes(`2001:db8:1:2::${at + 1}`),
  )
  t.ok((await Promise.all(many)).includes(429))
  t.equal(await comes('2001:db8:1:3::1'), 201, 'the network beside it has its own')
})

t.test('A malformed call spends the budget of its address like any other', async (t) => {
  const { chat } = await openChat(t)
  const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' }
  const comes = async (body: string) => (await fetch(`${chat}/visitors`, { method: 'POST', headers, body })).status
  const many = Array.from({ length: 4 * budgets.webchatVisitors.burstCalls }, () => comes('['.repeat(1_000)))
  const statuses = await Promise.all(many)
  t.same([...new Set(statuses)].sort(), [422, 429])
})

t.test('An invalid token counts against its address, and after many no socket is opened for it', async (t) => {
  const { chat } = await openChat(t)
  const from = (client: string) => ({ 'x-forwarded-for': client })
  const tries = Array.from({ length: 4 * budgets.webchatBadTokens.burstCalls }, () =>
    statusOfSocket(chat, 'token=bad', from('203.0.113.20')),
  )
  const statuses = await Promise.all(tries)
  t.same([...new Set(statuses)].sort(), [101, 429])
  t.equal(await statusOfSocket(chat, 'token=bad', from('203.0.113.21')), 101, 'another address gets the actual error')
  const { token } = await createVisitor(chat)
  t.equal(await statusOfSocket(chat, `token=${token}`, from('203.0.113.20')), 101, 'and a good token opens one')
})

t.test('An address discovers chats of agents no faster than its budget, existing or not', async (t) => {
  const { chat } = await openChat(t)
  const looks = async (path: string, client: string) =>
    (await fetch(path, { headers: { 'x-forwarded-for': client } })).status
  const missingChat = `${node.gateway}/v4/webchat/demo.nobody`
  const paths = Array.from({ length: 2 * budgets.webchatPages.burstCalls }, (_, at) => (at % 2 ? missingChat : chat))
  const statuses = await Promise.all(paths.map((path) => looks(path, '203.0.113.30')))
  t.same([...new Set(statuses)].sort(), [200, 404, 429])
  t.equal(await looks(chat, '203.0.113.31'), 200, 'another address looks on')
})

t.test('Only sites that the binding names may show the chat; without names, any site may', async (t) => {
  const { testAgent, chat } = await openChat(t)
  const site = 'https://shop.example'
  const open = await requestToken(chat, {}, 'https://anybody.example')
  t.equal(open.status, 201)
  t.equal(open.headers.get('access-control-allow-origin'), 'https://anybody.example')
  const preflight = await fetch(`${chat}/visitors`, { method: 'OPTIONS', headers: { origin: site } })
  t.equal(preflight.headers.get('access-control-allow-origin'), site)
  const { data } = await testAgent.manage('GET', `${testAgent.agentPath}/channels`)
  await testAgent.manage('DELETE', `${testAgent.agentPath}/channels/${data[0].id}`)
  t.equal((await requestToken(chat, {})).status, 404, 'without web chat there is no page')
  await testAgent.bind('webchat', { mode: 'managed', inputs: { origins: [site] } })
  const { token } = await createVisitor(chat, undefined, site)
  t.equal((await requestToken(chat, {}, 'https://anybody.example')).status, 403)
  t.equal((await requestToken(chat, {}, node.gateway)).status, 201, 'our own page always may')
  t.equal(await codeOfSocket(chat, { token, origin: site }), 0)
  t.equal(await codeOfSocket(chat, { token, origin: 'https://anybody.example' }), 4403)
  t.equal(await codeOfSocket(chat, { token }), 4403)
})

t.test('When the chat is switched off, pages are disconnected and no new ones are admitted', async (t) => {
  const setting = await openChat(t)
  const { testAgent, chat } = setting
  const { page, token } = await openVisit(t, setting)
  const { data } = await testAgent.manage('GET', `${testAgent.agentPath}/channels`)
  await testAgent.manage('POST', `${testAgent.agentPath}/channels/${data[0].id}/_disable`)
  page.sendFrame({ type: 'text', id: 'late', text: 'Anybody?' })
  t.equal(await page.waitForClose(), 4404)
  t.equal((await requestToken(chat, {})).status, 404)
  t.equal(await codeOfSocket(chat, { token }), 4404)
  await testAgent.manage('POST', `${testAgent.agentPath}/channels/${data[0].id}/_enable`)
  const back = await Page.open(chat, { token })
  t.same(textsOf(back.entries), ['Hello'])
  await back.close()
})

t.test('A node that stops closes every page with 1001', async (t) => {
  const setting = await openChat(t)
  const { page } = await openVisit(t, setting)
  isStopped = true
  const stopped = running.stop()
  t.equal(await page.waitForClose(), 1001)
  await stopped
})
