/** A channel without anybody beyond us: what is kept is out, and all the rest is as on any other channel. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { OutboundMessage } from '../../../core/amf/index.js'
import { idOf, laid, type Table, text } from './table.js'

const ours = { channel: 'webchat', isOurs: true } as const

const picture: OutboundMessage = {
  spec: 'amf/1',
  parts: [{ type: 'media', mediaUrl: 'https://example.com/room.png', kind: 'image' }],
}
const question: OutboundMessage = {
  spec: 'amf/1',
  parts: [{ type: 'confirm', prompt: 'Late check-out?', intentId: 'late' }],
}
const typing: OutboundMessage = { spec: 'amf/1', signal: 'typing' }

t.test('A message is out with the commit that takes it, and nobody is asked to hand it over', async (t) => {
  const table = laid(ours)
  const id = idOf(table.offer(text('one')))
  t.same(table.delivered, [])
  t.match(table.types(), [{ type: 'status', status: { messageId: id, state: 'sent' } }])
  t.match(table.outgoing(id), { sentAt: table.now(), providerIds: [id], states: { sent: table.now() } })
  t.match(table.conversation(), { queue: [], flight: undefined })
  table.receipt({ providerId: id, state: 'read' })
  t.match(table.types(), [{ type: 'status', status: { messageId: id, state: 'read' } }])
})

t.test('One with media is handed over, since its media may not be had, and what follows waits for it', async (t) => {
  const table = laid(ours)
  const first = idOf(table.offer(picture))
  const second = idOf(table.offer(text('two')))
  t.same(table.delivered, [{ messageId: first, tried: 1 }])
  t.same(table.types(), [])
  table.sent(first)
  const states = table.types().map((event) => event.type === 'status' && event.status.messageId)
  t.same(states, [first, second])
  t.equal(table.delivered.length, 1)
})

t.test('Pacing holds: the second waits for its time', async (t) => {
  const table = laid({ ...ours, minDelayMs: 1_000 })
  idOf(table.offer(text('one')))
  const second = idOf(table.offer(text('two')))
  t.equal(table.wakes.get('send'), table.now() + 1_000)
  t.same(table.conversation().queue, [second])
  t.equal(table.outgoing(second)?.sentAt, undefined)
})

t.test('Nothing of the agent is out after STOP, however it waited, and what the house owes is', async (t) => {
  const table = laid({ channel: 'sms', isOurs: true, compliance: {} })
  const inBulk = ['one', 'two'].map((words) => idOf(table.offer(text(words), { isBatch: true })))
  const first = idOf(table.offer(picture))
  const behind = idOf(table.offer(text('three')))
  table.says('STOP')
  for (const id of inBulk) table.released(id)
  table.sent(first)
  const refused = { kind: 'refused', reason: 'optedOut', again: 'never' } as const
  while (table.conversation().flight) table.answers(refused)
  for (const id of [behind, ...inBulk]) {
    t.match(table.outgoing(id), { states: { failed: table.now() } })
    t.equal(table.outgoing(id)?.sentAt, undefined)
  }
  t.same(
    table.delivered.map(({ messageId }) => messageId),
    [first, ...inBulk],
    'whoever hands over sees the STOP',
  )
  const said = table.traffic.filter(({ origin, type }) => origin === 'agent' && type === 'content')
  t.ok(table.outgoing(said.at(-1)!.messageId)?.sentAt, 'the confirmation')
})

type Step = (table: Table) => void

/** Whatever was to be handed over is taken at once. */
function settled(table: Table): void {
  while (table.conversation().flight) table.sent(table.conversation().flight!.messageId)
}

const offering = (message: OutboundMessage): Step => {
  return (table) => void table.offer(message)
}
const steps: readonly Step[] = [
  offering(text('words')),
  offering(question),
  offering(picture),
  offering(typing),
  (table) => table.says('Hello'),
  (table) => table.says('yes'),
  (table) => table.says('STOP'),
  (table) => table.says('START'),
  (table) => table.pass(400),
  (table) => {
    const [last] = table.traffic.filter(({ origin, type }) => origin === 'agent' && type === 'content').slice(-1)
    if (last) table.receipt({ providerId: last.messageId, state: 'delivered' })
  },
]

t.test('Whatever happens, it looks the same as with a provider that takes everything at once', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...steps), { maxLength: 30 }),
      fc.constantFrom('webchat' as const, 'sms' as const),
      fc.constantFrom(0, 1_000),
      fc.boolean(),
      (script, channel, minDelayMs, isCompliant) => {
        const options = { channel, minDelayMs, ...(isCompliant && { compliance: {} }) }
        const [own, handed] = [laid({ ...options, isOurs: true }), laid(options)]
        for (const table of [own, handed]) {
          for (const step of script) {
            step(table)
            settled(table)
            const due = table.wakes.get('send')
            if (due !== undefined && due <= table.now()) table.woken('send')
            settled(table)
          }
        }
        const seen = (table: Table) => ({
          told: table.told(),
          traffic: table.traffic,
          conversation: table.conversation(),
          messages: table.traffic.map(({ messageId }) => table.outgoing(messageId)),
          wakes: [...table.wakes],
        })
        assert.deepEqual(seen(own), seen(handed))
      },
    ),
  )
})
