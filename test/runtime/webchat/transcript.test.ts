/** The record of a visitor in its shard: what becomes a line, when, and for how long. */

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Inbound } from '../../../core/channel/inbound.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { isRefusal } from '../../../core/errors.js'
import { conversation as kept, webchat as limits } from '../../../core/limits/index.js'
import { systemClock } from '../../../runtime/clock.js'
import type { Identity } from '../../../runtime/conversation/contract.js'
import { effectKinds } from '../../../runtime/conversation/effects.js'
import { createGatewayModule } from '../../../runtime/node/gateway.js'
import { createLog } from '../../../runtime/observe/log.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { webchatQueries } from '../../../runtime/webchat/index.js'
import { readTranscript, readUnmarked, type TranscriptPage } from '../../../runtime/webchat/transcript.js'
import { contextOn } from '../../harness/agentcontext.js'
import { tempDir } from '../../harness/tempdir.js'

const agent = contextOn('webchat', { provider: 'webchat', binding: { isActive: true, minDelayMs: 0 } })

/** One conversation whose provider answers when a test says so. */
async function openRecord(t: Test, about: { channel?: ChannelName; sandbox?: true } = {}) {
  const { conversation: commands, ...parts } = createGatewayModule({ timeScale: 1 })
  const { log } = createLog({ destination: { write: () => {} } })
  let later = 0
  const clock = { ...systemClock, now: () => Date.now() + later }
  const nothingToDo = Object.fromEntries(Object.values(effectKinds).map((kind) => [kind, async () => {}]))
  const shards = openEmbedded({
    shards: 1,
    store: await openStore({ dir: tempDir(t), shards: 1 }),
    handlers: {
      commands: parts.commands,
      queries: [...parts.queries, ...webchatQueries],
      effectHandlers: () => nothingToDo,
    },
    clock,
    newCommandId: () => randomBytes(12).toString('hex'),
    log,
  })
  await shards.start()
  t.teardown(() => shards.stop())
  const asid = 'usr_visitor'
  const who: Identity = {
    asid,
    agent: { orgId: 'demo', agentId: 'harbor' },
    channel: 'webchat',
    address: 'vis_1',
    ...about,
  }
  const receive = (id: string, inbound: Inbound) =>
    shards.execute(asid, commands.receiveInbound, { identity: who, agent, items: [{ id, inbound }] })
  return {
    say: (id: string, text: string) => receive(id, { kind: 'content', content: { text } }),
    receive,
    /** Takes a message, and answers what its provider is told about. */
    async offer(message: object): Promise<string> {
      const requests = [{ message: { spec: 'amf/1', ...message } as never, from: 'send' as const }]
      const answers = await shards.execute(asid, commands.sendMessages, { asid, agent, requests })
      if (isRefusal(answers) || !('messageId' in answers[0]!)) throw new Error(JSON.stringify(answers))
      return answers[0].messageId
    },
    dispatched: (messageId: string, outcome: DeliveryOutcome = { kind: 'sent', providerIds: [messageId] }) =>
      shards.execute(asid, commands.sendOutcome, { asid, agent, messageId, attempt: 1, outcome }),
    async lines(after?: number): Promise<TranscriptPage> {
      const page = await shards.query(asid, readTranscript, { asid, ...(after !== undefined && { after }) })
      if (isRefusal(page)) throw new Error(page.refused)
      return page
    },
    unmarked: (state: 'delivered' | 'read', ...messageIds: string[]) =>
      shards.query(asid, readUnmarked, { asid, state, messageIds }),
    async passes(ms: number): Promise<void> {
      later += ms
      await shards.execute(asid, commands.expireRows, { asid })
    },
  }
}

const text = (words: string) => ({ parts: [{ type: 'text', text: words }] })

t.test('A message is a line from the commit that makes it sent, exactly once', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  const id = await record.offer(text('Welcome'))
  t.equal((await record.lines()).entries.length, 1, 'a message in flight is not a line')
  await record.dispatched(id)
  await record.dispatched(id)
  const { entries: lines, head } = await record.lines()
  t.match(lines, [
    { cursor: 1, said: { id: 'a', content: { text: 'Hello' } } },
    { cursor: 2, message: { id, state: 'sent' } },
  ])
  t.equal(lines.length, 2)
  t.equal(head.newest, 2)
})

t.test('A message that was not sent is not a line', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  await record.dispatched(await record.offer(text('Welcome')), {
    kind: 'refused',
    reason: 'sendFailed',
    retry: 'never',
  })
  t.equal((await record.lines()).entries.length, 1)
})

t.test('A visitor’s message is a line under the page’s own id, and a repeat is not another', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  await record.say('a', 'Hello')
  const place = { address: 'Mulberry St' }
  await record.receive('b', { kind: 'content', content: { place } })
  const question = await record.offer({
    ...text('Which?'),
    chips: [{ label: 'Red' }, { label: 'Site', kind: 'url', url: 'https://a.example' }],
  })
  await record.dispatched(question)
  await record.receive('c', { kind: 'tap', messageId: question, tapIndex: 0 })
  await record.receive('d', { kind: 'tap', messageId: question, tapIndex: 1 })
  const { entries: lines } = await record.lines()
  t.match(lines, [
    { cursor: 1, said: { id: 'a', content: { text: 'Hello' } } },
    { cursor: 2, said: { id: 'b', content: { place } } },
    { cursor: 3, message: { id: question } },
    { cursor: 4, said: { id: 'c', content: { text: 'Red' } } },
  ])
  t.equal(lines.length, 4, 'an opened link is not a line')
})

t.test('Signals are not lines; the record stores the last one, and behind which line it came', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  await record.dispatched(await record.offer({ signal: 'typing' }))
  const { head, entries: lines } = await record.lines()
  t.match(head, { newest: 1, signal: { signal: 'typing', cursor: 1 } })
  t.equal(lines.length, 1)
})

t.test('Conversations on other channels, and with personas, have no transcript', async (t) => {
  for (const about of [{ channel: 'sms' }, { sandbox: true }] as const) {
    const record = await openRecord(t, about)
    await record.say('a', 'Hello')
    await record.dispatched(await record.offer(text('Welcome')))
    t.same(await record.lines(), { head: { newest: 0 }, entries: [], scannedTo: 0, more: false })
  }
})

t.test(
  'A reader without a cursor starts with the newest lines, one with a cursor behind it, page by page',
  async (t) => {
    const record = await openRecord(t)
    const count = limits.historyLines + 7
    for (let n = 1; n <= count; n++) await record.say(`id-${n}`, `Line ${n}`)
    const newest = await record.lines()
    t.equal(newest.entries[0]!.cursor, 8)
    t.equal(newest.entries.length, limits.linesPerRead)
    t.equal(newest.scannedTo, 7 + limits.linesPerRead)
    t.equal(newest.more, true)
    const all: number[] = []
    for (let after = 0; after < count; ) {
      const { entries: lines, scannedTo: upTo, more } = await record.lines(after)
      all.push(...lines.map(({ cursor }) => cursor))
      t.equal(more, false)
      after = upTo
    }
    t.same(
      all,
      Array.from({ length: count }, (_, n) => n + 1),
    )
    t.match(await record.lines(count + 50), { entries: [], scannedTo: count }, 'a cursor from nowhere is the newest')
  },
)

t.test('Lines are deleted with their content, and no cursor is reused', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  await record.dispatched(await record.offer(text('Welcome')))
  await record.passes(kept.retentionMs + 1)
  t.same((await record.lines(0)).entries, [])
  await record.say('b', 'Back again')
  t.match((await record.lines(0)).entries, [{ cursor: 3, said: { id: 'b' } }])
})

t.test('Marks of pages count only for sent messages without that state so far', async (t) => {
  const record = await openRecord(t)
  await record.say('a', 'Hello')
  const first = await record.offer(text('One'))
  await record.dispatched(first)
  const waiting = await record.offer(text('Two'))
  t.same(await record.unmarked('delivered', first, waiting, 'msg_nobody'), [first])
  await record.receive('delivered:x', { kind: 'receipt', receipt: { providerId: first, state: 'delivered' } })
  t.same(await record.unmarked('delivered', first), [])
  t.same(await record.unmarked('read', first), [first])
})
