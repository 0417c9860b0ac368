/** What a conversation forgets when its time is over, however much else it keeps. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { hour } from '../../../core/durations.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { effectKinds } from '../../../runtime/conversation/effects.js'
import { conversationTable, seenTable } from '../../../runtime/conversation/tables.js'
import { createGatewayModule } from '../../../runtime/node/gateway.js'
import { createLog } from '../../../runtime/observe/log.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { contextOn } from '../../harness/agentcontext.js'
import { createLeapingClock, waitUntil } from '../../harness/clock.js'
import { tempDir } from '../../harness/tempdir.js'

const asid = 'usr_somebody'
const agent = contextOn('sms')

async function openConversation(t: Test) {
  const { conversation: commands, ...parts } = createGatewayModule({ timeScale: 1 })
  const { log } = createLog({ destination: { write: () => {} } })
  const clock = createLeapingClock()
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  const effectHandlers = Object.fromEntries(Object.values(effectKinds).map((kind) => [kind, async () => {}]))
  const shards = openEmbedded({
    shards: 1,
    store,
    handlers: { commands: parts.commands, queries: parts.queries, effectHandlers: () => effectHandlers },
    clock,
    newCommandId: () => randomBytes(12).toString('hex'),
    log,
  })
  await shards.start()
  t.teardown(() => shards.stop())
  const who = { asid, agent: { orgId: 'demo', agentId: 'harbor' }, channel: 'sms' as const, address: '+15550100' }
  return {
    clock,
    receive: (ids: readonly string[]) =>
      shards.execute(asid, commands.receiveInbound, {
        identity: who,
        agent,
        items: ids.map((id) => ({ id, inbound: { kind: 'system' as const, system: 'typing' as const } })),
      }),
    tidy: () => shards.execute(asid, commands.expireRows, { asid }),
    seen: () => Array.from(store.space(0).range(seenTable, { prefix: [asid] }), ({ key }) => key[1]),
    isTidy: () => store.space(0).get(conversationTable, [asid])?.nothingToExpire === true,
  }
}

t.test('What is over goes, though more is kept before it than is looked at in one go', async (t) => {
  const conversation = await openConversation(t)
  await conversation.receive(['z-old'])
  conversation.clock.advance(hour)
  const fresh = Array.from({ length: limits.retentionRows + 100 }, (_, n) => `a-${String(n).padStart(4, '0')}`)
  await conversation.receive(fresh)
  conversation.clock.advance(limits.dedupeMs - hour)
  await waitUntil(() => !conversation.seen().includes('z-old'))
  t.equal(conversation.seen().length, fresh.length, 'and what is not over stays')
  t.notOk(conversation.isTidy(), 'it will have to be looked at again')
  await waitUntil(() => {
    conversation.clock.advance(limits.retentionEveryMs)
    return conversation.isTidy()
  })
  t.same(conversation.seen(), [])
})

t.test('Whatever was heard when, exactly what is over is forgotten', async (t) => {
  const anyItems = fc.array(
    fc.record({ id: fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' }), isOld: fc.boolean() }),
    {
      maxLength: 40,
    },
  )
  await fc.assert(
    fc.asyncProperty(anyItems, async (items) => {
      const conversation = await openConversation(t)
      const old = new Set(items.filter(({ isOld }) => isOld).map(({ id }) => id))
      const fresh = new Set(items.filter(({ isOld }) => !isOld).map(({ id }) => id))
      await conversation.receive([...old])
      conversation.clock.advance(limits.dedupeMs)
      await conversation.receive([...fresh])
      await conversation.tidy()
      t.same(new Set(conversation.seen()), fresh)
    }),
    { numRuns: 15 },
  )
})
